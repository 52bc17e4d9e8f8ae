; Initial values that have addresses of other globals: behind them, before them, in structs, in other address spaces.
target triple = "spir64"

%pair = type { ptr addrspace(1), i64 }

@names = addrspace(2) constant [2 x ptr addrspace(2)] [ptr addrspace(2) @first, ptr addrspace(2) getelementptr inbounds ([6 x i8], ptr addrspace(2) @second, i64 0, i64 2)]
@first = private addrspace(2) constant [4 x i8] c"one\00"
@second = private addrspace(2) constant [6 x i8] c"other\00"
@table = addrspace(1) global [4 x i32] [i32 10, i32 20, i32 30, i32 40]
@last = addrspace(1) global ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @table, i64 12)
@any = addrspace(1) global ptr addrspace(4) addrspacecast (ptr addrspace(1) @table to ptr addrspace(4))
@both = addrspace(1) global %pair { ptr addrspace(1) @last, i64 ptrtoint (ptr addrspace(1) @table to i64) }

define spir_kernel void @read(ptr addrspace(1) %out, i64 %i) {
  %at = getelementptr [2 x ptr addrspace(2)], ptr addrspace(2) @names, i64 0, i64 %i
  %name = load ptr addrspace(2), ptr addrspace(2) %at
  %byte = load i8, ptr addrspace(2) %name
  store i8 %byte, ptr addrspace(1) %out
  %p = load ptr addrspace(1), ptr addrspace(1) @both
  %q = load ptr addrspace(1), ptr addrspace(1) %p
  %n = load i32, ptr addrspace(1) %q
  %generic = load ptr addrspace(4), ptr addrspace(1) @any
  %m = load i32, ptr addrspace(4) %generic
  %sum = add i32 %n, %m
  %to = getelementptr i8, ptr addrspace(1) %out, i64 4
  store i32 %sum, ptr addrspace(1) %to
  ret void
}
