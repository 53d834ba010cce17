// No newline at the end.
#include <tbb/tbb.h>
int main() { tbb::parallel_for(0, 3, [](int) {}); }