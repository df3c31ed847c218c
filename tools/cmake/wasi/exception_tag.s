# The tag of C++ exceptions, which all modules that throw share.
	.tagtype __cpp_exception i32
	.globl __cpp_exception
__cpp_exception:
