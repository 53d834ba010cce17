// SPDX-License-Identifier: Apache-2.0
// Compiled by waiting_loops_test.cpp. No other headers: a compiler for another machine may have none.
namespace std {
using size_t = decltype(sizeof 0);
}
#define FUNCTION extern "C" __attribute__((noinline))
#define LOAD(from) __atomic_load_n(from, __ATOMIC_ACQUIRE)
#define STORE(to, value) __atomic_store_n(to, value, __ATOMIC_RELEASE)
#define EXCHANGE(with, value) __atomic_exchange_n(with, value, __ATOMIC_ACQUIRE)
#ifdef __x86_64__
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ __volatile__("yield" ::: "memory")
#endif
extern "C" int sched_yield();
extern "C" int usleep(unsigned);
extern "C" void other(int);
extern "C" int ask(int);

struct Node {
  int value;
  bool locked;
  Node* next;
};

// ---- Loops that wait -----------------------------------------------------------------------------

FUNCTION void waits_exchange(bool* flag) {
  while (EXCHANGE(flag, true))
    ;
}
FUNCTION void waits_exchange_pause(bool* flag) {
  while (EXCHANGE(flag, true))
    PAUSE();
}
FUNCTION void waits_exchange_int(int* flag) {
  while (EXCHANGE(flag, 1) != 0)
    PAUSE();
}
FUNCTION void waits_test_and_set(bool* flag) {
  while (__atomic_test_and_set(flag, __ATOMIC_ACQUIRE))
    ;
}
FUNCTION void waits_test_and_test(bool* flag) {
  while (EXCHANGE(flag, true))
    while (LOAD(flag))
      PAUSE();
}
FUNCTION void waits_compare_exchange(int* flag) {
  for (int expected = 0;
       !__atomic_compare_exchange_n(flag, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);)
    expected = 0;
}
FUNCTION void waits_compare_exchange_weak(int* flag, int mine) {
  for (int expected = 0; !__atomic_compare_exchange_n(flag, &expected, mine, true, __ATOMIC_ACQUIRE,
                                                      __ATOMIC_RELAXED);)
    expected = 0;
}
// The value that it expects is in memory, as in OpenBLAS.
FUNCTION void waits_compare_exchange_in_memory(bool* flag) {
  volatile bool expected;
  bool was;
  do {
    expected = false;
    was = false;
  } while (
      !__atomic_compare_exchange_n(flag, &was, true, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}
#ifdef __x86_64__ // without an instruction for it, the value depends on what is there
FUNCTION void waits_fetch_or(unsigned* flag) {
  while (__atomic_fetch_or(flag, 1U, __ATOMIC_ACQUIRE) & 1)
    ;
}
#endif
FUNCTION void waits_ticket(unsigned* next, unsigned* serving) {
  const unsigned mine = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
  while (LOAD(serving) != mine)
    ;
}
FUNCTION void waits_ticket_pause(unsigned* next, unsigned* serving) {
  const unsigned mine = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
  while (LOAD(serving) != mine)
    PAUSE();
}
FUNCTION void waits_ready(const bool* ready) {
  while (!LOAD(ready))
    ;
}
FUNCTION void waits_volatile(volatile const int* ready) {
  while (*ready == 0)
    ;
}
FUNCTION void waits_yield(const bool* ready) {
  while (!LOAD(ready))
    sched_yield();
}
FUNCTION void waits_yield_often(const bool* ready) {
  for (int i = 0; !LOAD(ready); ++i)
    if (i < 100)
      PAUSE();
    else
      sched_yield();
}
FUNCTION void waits_usleep(const bool* ready) {
  while (!LOAD(ready))
    usleep(10);
}
FUNCTION void waits_backoff(bool* flag) {
  for (int count = 1; EXCHANGE(flag, true);) {
    for (int i = 0; i < count; ++i)
      PAUSE();
    if (count < 1024)
      count *= 2;
  }
}
FUNCTION void waits_reader(unsigned* state) {
  for (;;) {
    unsigned now = LOAD(state);
    if (!(now & 1) &&
        __atomic_compare_exchange_n(state, &now, now + 2, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    PAUSE();
  }
}
FUNCTION void waits_queue(Node* mine) {
  while (LOAD(&mine->locked))
    PAUSE();
}
FUNCTION void waits_barrier(unsigned* arrived, unsigned threads) {
  __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
  while (LOAD(arrived) < threads)
    ;
}
FUNCTION int waits_inlined(bool* flag, int* sum, const int* a, int n) {
  for (int i = 0; i < n; ++i) {
    while (EXCHANGE(flag, true))
      PAUSE();
    *sum += a[i];
    STORE(flag, false);
  }
  return *sum;
}
FUNCTION void waits_for_two(const bool* one, const bool* two) {
  while (!LOAD(one) || !LOAD(two))
    ;
}
FUNCTION void waits_in_a_loop(const unsigned* turn, unsigned me, int* sum, int n) {
  for (int i = 0; i < n; ++i) {
    while (LOAD(turn) != me)
      ;
    other(i);
    *sum += i;
  }
}

// ---- Loops that do not ---------------------------------------------------------------------------

FUNCTION std::size_t works_length(const char* text) {
  std::size_t n = 0;
  while (text[n])
    ++n;
  return n;
}
FUNCTION const char* works_find(const char* text, char wanted) {
  while (*text != wanted)
    ++text;
  return text;
}
FUNCTION const char* works_find_volatile(volatile const char* text, char wanted) {
  while (*text != wanted)
    ++text;
  return const_cast<const char*>(text);
}
FUNCTION std::size_t works_find_index(const int* a, int x) {
  std::size_t i = 0;
  while (a[i] != x)
    ++i;
  return i;
}
FUNCTION bool works_any(const int* a, int n, int x) {
  for (int i = 0; i < n; ++i)
    if (a[i] == x)
      return true;
  return false;
}
FUNCTION Node* works_last(Node* p) {
  while (p->next)
    p = p->next;
  return p;
}
FUNCTION Node* works_last_atomic(Node* p) {
  while (Node* next = LOAD(&p->next))
    p = next;
  return p;
}
FUNCTION Node* works_search_list(Node* p, int x) {
  while (p && p->value != x)
    p = p->next;
  return p;
}
// What waits begins where the walk does: samples there are the walk's. Not optimized it has code of its own.
FUNCTION int mixes_walk_and_wait(Node* p) {
  int sum = 0;
  while (p) {
    if (__builtin_expect(LOAD(&p->locked), 0))
      continue;
    sum += p->value;
    p = LOAD(&p->next);
  }
  return sum;
}
FUNCTION int works_wait_for_each(Node* p) {
  int sum = 0;
  for (; p; p = p->next) {
    while (LOAD(&p->locked))
      ;
    sum += p->value;
  }
  return sum;
}
FUNCTION int works_chase(const int* next, int from) {
  int steps = 0;
  while (from != 0) {
    from = next[from];
    ++steps;
  }
  return steps;
}
FUNCTION int works_chase_only(const int* next, int from) {
  while (from > 0)
    from = next[from];
  return from;
}
FUNCTION int works_collatz(unsigned long n) {
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}
FUNCTION unsigned works_crc(const unsigned char* data, std::size_t n) {
  unsigned crc = ~0U;
  for (std::size_t i = 0; i < n; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}
FUNCTION void works_empty_loop(int n) {
  for (volatile int i = 0; i < n; ++i)
    ;
}
FUNCTION void works_empty_loop_barrier(int n) {
  for (int i = 0; i < n; ++i)
    __asm__ __volatile__("" ::: "memory");
}
FUNCTION void works_empty_loop_down(long n) {
  while (n--)
    __asm__ __volatile__("");
}
FUNCTION int works_draw_numbers(int* next, const int* a, int n, int x) {
  for (int i; (i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < n;)
    if (a[i] == x)
      return i;
  return -1;
}
FUNCTION void works_count_down(int* left) {
  while (__atomic_sub_fetch(left, 1, __ATOMIC_RELAXED) > 0)
    ;
}
FUNCTION void works_add_by_compare(int* sum, int value) {
  int old = __atomic_load_n(sum, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(sum, &old, old + value, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
}
FUNCTION void works_add_double(double* sum, double value) {
  double old = *sum, wanted;
  do
    wanted = old + value;
  while (!__atomic_compare_exchange(sum, &old, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
FUNCTION void works_max(int* most, int value) {
  int old = __atomic_load_n(most, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(most, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}
FUNCTION void works_push(Node** top, Node* mine) {
  mine->next = LOAD(top);
  while (!__atomic_compare_exchange_n(top, &mine->next, mine, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
}
FUNCTION Node* works_pop(Node** top) {
  Node* old = LOAD(top);
  while (old && !__atomic_compare_exchange_n(top, &old, old->next, true, __ATOMIC_ACQUIRE,
                                             __ATOMIC_ACQUIRE))
    ;
  return old;
}
FUNCTION int works_atomic_add(int* sum) {
  return __atomic_add_fetch(sum, 3, __ATOMIC_RELAXED);
}
FUNCTION int works_atomic_max_once(int* at, int value) {
  return EXCHANGE(at, value);
}
FUNCTION void works_atomic_adds(int* sum, int n) {
  for (int i = 0; i < n; ++i)
    __atomic_fetch_add(sum, i, __ATOMIC_RELAXED);
}
FUNCTION void works_drain(Node** queue) {
  while (Node* p = EXCHANGE(queue, static_cast<Node*>(nullptr)))
    for (; p; p = p->next)
      p->value = 0;
}
FUNCTION int works_probe(const unsigned* table, unsigned mask, unsigned key) {
  unsigned i = key * 0x9E3779B1U & mask;
  while (table[i] != key && table[i] != 0)
    i = (i + 1) & mask;
  return static_cast<int>(i);
}
FUNCTION int works_binary_search(const int* a, int n, int x) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
FUNCTION int works_sum(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}
FUNCTION double works_sum_doubles(const double* a, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}
FUNCTION double works_newton(double x, double limit) {
  double y = x;
  while (y * y - x > limit)
    y = (y + x / y) / 2;
  return y;
}
FUNCTION void works_copy(char* to, const char* from) {
  while ((*to++ = *from++))
    ;
}
FUNCTION void works_fill(volatile int* device, int n) {
  for (int i = 0; i < n; ++i)
    *device = 1;
}
FUNCTION void works_calls(const bool* stop) {
  while (!LOAD(stop))
    other(1);
}
FUNCTION void works_asks() {
  while (ask(1))
    ;
}
FUNCTION int works_try_many(bool* const* locks, int n) {
  int i = 0;
  while (EXCHANGE(locks[i], true))
    i = (i + 1) % n;
  return i;
}
FUNCTION unsigned works_lcg(unsigned x, unsigned stop) {
  while ((x & 0xFFFF) != stop)
    x = x * 1664525 + 1013904223;
  return x;
}
FUNCTION unsigned works_gcd(unsigned a, unsigned b) {
  while (b) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
FUNCTION int works_root(const int* parent, int x) {
  while (parent[x] != x)
    x = parent[x];
  return x;
}
FUNCTION int works_compare(const unsigned char* a, const unsigned char* b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a - *b;
}
FUNCTION void works_by_pointer(int n) {
  int i = 0;
  int* p = &i;
  __asm__ __volatile__("" : "+r"(p)::"memory");
  while (*p < n)
    i = *p + 1;
}
FUNCTION bool works_stops(const bool* stop, const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n && !LOAD(stop); ++i)
    sum += a[i];
  return sum > 0;
}
FUNCTION int works_interpreter(const unsigned char* code) {
  int sum = 0;
  for (;; ++code)
    switch (*code) {
    case 0:
      return sum;
    case 1:
      ++sum;
      break;
    case 2:
      --sum;
      break;
    case 3:
      sum *= 2;
      break;
    case 4:
      sum = -sum;
      break;
    case 5:
      sum ^= 1;
      break;
    case 6:
      sum += 7;
      break;
    default:
      break;
    }
}
static __attribute__((noinline)) Node* next_of(Node* p) {
  return LOAD(&p->next);
}
FUNCTION Node* works_last_by_call(Node* p) {
  while (Node* next = next_of(p))
    p = next;
  return p;
}
#ifdef __x86_64__
FUNCTION void works_until(unsigned long end) {
  while (__builtin_ia32_rdtsc() < end)
    ;
}
FUNCTION void works_until_pausing(unsigned long end) {
  unsigned long now;
  do
    now = __builtin_ia32_rdtsc();
  while (now < end);
}
#endif
