/* setjmp for WebAssembly, where the stack cannot be rewound: longjmp throws, and clang turns the function that
   called setjmp into one that catches. Written for this project; wasi-libc of 2022 has none. */
#ifndef PLAYGROUND_SETJMP_H
#define PLAYGROUND_SETJMP_H

/* Six words are what clang's lowering expects at least; setjmp.c uses four of them. */
typedef long jmp_buf[8];

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);

/* Lua asks for the forms that leave the signal mask alone. There are no signals here. */
#define _setjmp setjmp
#define _longjmp longjmp

#endif
