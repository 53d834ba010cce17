// Nothing to tag: the text stays byte for byte.
#include <tbb/tbb.h>
int main() { tbb::task_group g; g.wait(); }
