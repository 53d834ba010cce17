#include "../tbb.h"
