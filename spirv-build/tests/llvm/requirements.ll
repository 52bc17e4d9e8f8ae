; What needs capabilities that only a type, a width or a decoration tells of.
target triple = "spir64"

define spir_kernel void @widths(ptr addrspace(1) %o, half %h, double %d) {
  %a = atomicrmw fadd ptr addrspace(1) %o, half %h seq_cst
  %b = atomicrmw fmin ptr addrspace(1) %o, half %h seq_cst
  %c = atomicrmw fadd ptr addrspace(1) %o, double %d seq_cst
  ret void
}

define spir_kernel void @memories(ptr addrspace(5) %o, ptr addrspace(6) %p) !spirv.ParameterDecorations !0 {
  store i32 1, ptr addrspace(5) %o
  store i32 1, ptr addrspace(6) %p
  ret void
}

!0 = !{!1, !1}
!1 = !{!2}
!2 = !{i32 6442, i32 0, i32 1}
