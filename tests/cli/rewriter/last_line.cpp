#include <tbb/tbb.h>
static int x = (tbb::parallel_for(0, 3, [](int) {}), 1); int main() { return x - 1; }