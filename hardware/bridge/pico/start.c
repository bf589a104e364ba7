// What an RP2040 does before main: no library does it for us.

#include "chip.h"

extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

int main(void);

uint32_t chip_get(uint32_t at)
{
    return *(volatile uint32_t *)at;
}

void chip_put(uint32_t at, uint32_t value)
{
    *(volatile uint32_t *)at = value;
}

// The program has lost its way: it begins anew, and the host hears that it was away.
static void begin_anew(void)
{
    chip_put(0xe000ed0cu, 0x05fa0004u);
    for (;;) {
    }
}

static void start(void)
{
    const uint32_t *from = data_from;
    for (uint32_t *to = data_begin; to < data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_begin; to < bss_end; to++) {
        *to = 0;
    }
    main();
    begin_anew();
}

// Where the chip looks: the top of the stack, the start, two faults. No interrupt is ever on.
__attribute__((section(".vectors"), used)) static const struct {
    const uint32_t *stack;
    void (*handlers[15])(void);
} VECTORS = {
    stack_top,
    {start, begin_anew, begin_anew},
};
