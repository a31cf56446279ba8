/* The three functions that clang's lowering of setjmp and longjmp calls (-wasm-enable-sjlj). */

/* What a jmp_buf holds. `thrown` is here, and not on the stack, as it must live on until it is caught. */
struct env {
    void *invocation; /* the call of the function that did setjmp */
    unsigned label;   /* which of its setjmps, counted from 1 */
    struct thrown {
        void *env;
        int value;
    } thrown;
};

/* Must match the tag in tag.s: exceptions of C++ are tag 0, those of longjmp tag 1. */
enum { LONGJMP_TAG = 1 };

void __wasm_setjmp(void *env, unsigned label, void *invocation)
{
    struct env *saved = env;
    saved->label = label;
    saved->invocation = invocation;
}

/* Which setjmp of this invocation the jump is meant for; 0: of none, so it flies on. */
unsigned __wasm_setjmp_test(void *env, void *invocation)
{
    struct env *saved = env;
    return saved->invocation == invocation ? saved->label : 0;
}

void __wasm_longjmp(void *env, int value)
{
    struct env *saved = env;
    saved->thrown.env = env;
    saved->thrown.value = value == 0 ? 1 : value; /* setjmp must not seem to return for the first time */
    __builtin_wasm_throw(LONGJMP_TAG, &saved->thrown);
}
