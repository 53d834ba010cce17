#include "../oneapi/tbb.h"
