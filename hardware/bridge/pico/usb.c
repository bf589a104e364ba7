// See usb.h. After the USB specification 2.0, chapter 9, its class for communications 1.2 with the
// requests of PSTN devices, and the RP2040's data sheet, 4.1.

#include "usb.h"

#include "chip.h"

// In the memory of USB: the request, a word for each endpoint and one for its buffer, and buffers.
#define REQUEST USB_MEMORY
#define ENDPOINT(word) (USB_MEMORY + 8u + 4u * ((word)-2u))
#define BUFFER(word) (USB_MEMORY + 0x80u + 4u * (word))
#define DATA_CONTROL (USB_MEMORY + 0x100u)
#define DATA_NOTICE (USB_MEMORY + 0x180u)
#define DATA_FROM_HOST (USB_MEMORY + 0x1c0u)
#define DATA_TO_HOST (USB_MEMORY + 0x200u)
#define MEMORY_END (USB_MEMORY + 0x1000u)

// Which word, and which bit of what is done, is whose: to the host 2n, from it 2n + 1.
enum { CONTROL_IN = 0, CONTROL_OUT = 1, NOTICE_IN = 2, SERIAL_IN = 4, SERIAL_OUT = 5 };

#define ENDPOINT_ON (1u << 31 | 1u << 29)
#define ENDPOINT_BULK (2u << 26)
#define ENDPOINT_NOTICE (3u << 26)
#define BUFFER_FULL (1u << 15)
#define BUFFER_ODD (1u << 13)
#define BUFFER_STALL (1u << 11)
#define BUFFER_GO (1u << 10)
#define BUFFER_LENGTH 0x3ffu

#define PACKET 64u
// A packet that is not full ends what the host waits for.
#define SHORT_PACKET 63u

#define LOW(word) ((word)&0xff), ((word) >> 8)

// The numbers are those of programs that are made with the maker's own kit for such a serial line.
static const uint8_t DEVICE[] = {
    18, 1, LOW(0x0200), 2, 0, 0, PACKET, LOW(0x2e8a), LOW(0x000a), LOW(0x0100), 1, 2, 0, 1,
};
#define CONFIGURATION_SIZE 67
static const uint8_t CONFIGURATION[CONFIGURATION_SIZE] = {
    // One configuration of two interfaces, fed by the cable with 100 mA.
    9, 2, LOW(CONFIGURATION_SIZE), 2, 1, 0, 0x80, 50,
    // The line's control, with commands of modems in name only, and its one endpoint.
    9, 4, 0, 0, 1, 2, 2, 0, 0,
    5, 0x24, 0, LOW(0x0110),
    5, 0x24, 1, 0, 1,
    4, 0x24, 2, 2,
    5, 0x24, 6, 0, 1,
    7, 5, 0x81, 3, LOW(8), 255,
    // The line's bytes.
    9, 4, 1, 0, 2, 10, 0, 0, 0,
    7, 5, 0x02, 2, LOW(PACKET), 0,
    7, 5, 0x82, 2, LOW(PACKET), 0,
};
static const uint8_t LANGUAGES[] = {4, 3, LOW(0x0409)};
static const uint8_t MAKER[] = {14, 3, 'R', 0, 'o', 0, 'k', 0, 'a', 0, 'd', 0, 'e', 0};
static const uint8_t PRODUCT[] = {14, 3, 'b', 0, 'r', 0, 'i', 0, 'd', 0, 'g', 0, 'e', 0};

// What the host wants, as it says it.
struct request {
    uint8_t type;
    uint8_t what;
    uint16_t value;
    uint16_t index;
    uint16_t length;
};

static struct {
    bool is_configured;
    bool is_open;
    // The address to go to once the host knows that it was heard.
    uint8_t address;
    // What is left of an answer, and whether an empty packet must end it.
    const uint8_t *answer;
    uint16_t n_answer;
    bool owes_empty;
    // Whether the host is about to send the speed of the line, or only that it has an answer.
    bool wants_speed;
    uint8_t speed[7];
    // Odd packets and even ones alternate; true where the next is odd.
    bool odd[6];
    // What the host sent and nobody took yet.
    uint8_t n_heard;
    uint8_t n_taken;
} usb;

static uint32_t word_of(const uint8_t *bytes, uint32_t n)
{
    uint32_t word = 0;
    for (uint32_t at = 0; at < 4 && at < n; at++) {
        word |= (uint32_t)bytes[at] << (8 * at);
    }
    return word;
}

static uint8_t byte_at(uint32_t data, uint32_t at)
{
    return (uint8_t)(chip_get(data + (at & ~3u)) >> (8 * (at & 3u)));
}

// Gives a buffer to the controller: to send it, or to be filled.
static void give(uint32_t which, uint32_t word)
{
    word |= usb.odd[which] ? BUFFER_ODD : 0;
    usb.odd[which] = !usb.odd[which];
    chip_put(BUFFER(which), word);
    // The controller, which has a clock of its own, must see that bit after the others.
    for (volatile uint8_t n = 0; n < 4; n++) {
    }
    chip_put(BUFFER(which), word | BUFFER_GO);
}

static void send(uint32_t which, uint32_t data, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t at = 0; at < n; at += 4) {
        chip_put(data + at, word_of(bytes + at, n - at));
    }
    give(which, n | BUFFER_FULL);
}

static void answer_on(void)
{
    uint16_t n = usb.n_answer < PACKET ? usb.n_answer : PACKET;
    send(CONTROL_IN, DATA_CONTROL, usb.answer, n);
    usb.answer += n;
    usb.n_answer = (uint16_t)(usb.n_answer - n);
    usb.owes_empty = usb.owes_empty && n == PACKET;
}

static void answer(const struct request *request, const uint8_t *bytes, uint16_t n)
{
    usb.answer = bytes;
    usb.n_answer = n < request->length ? n : request->length;
    usb.owes_empty = n < request->length;
    answer_on();
}

// Nothing to say but that it was understood.
static void agree(void)
{
    send(CONTROL_IN, DATA_CONTROL, DEVICE, 0);
}

static void refuse(void)
{
    chip_put(USB_STALL_ARM, 3);
    chip_put(BUFFER(CONTROL_IN), BUFFER_STALL);
    chip_put(BUFFER(CONTROL_OUT), BUFFER_STALL);
}

static void configure(bool is_configured)
{
    usb.is_configured = is_configured;
    usb.n_heard = usb.n_taken = 0;
    usb.odd[SERIAL_IN] = usb.odd[SERIAL_OUT] = false;
    chip_put(BUFFER(SERIAL_IN), 0);
    chip_put(BUFFER(SERIAL_OUT), 0);
    chip_put(ENDPOINT(NOTICE_IN), ENDPOINT_ON | ENDPOINT_NOTICE | (DATA_NOTICE - USB_MEMORY));
    chip_put(ENDPOINT(SERIAL_IN), ENDPOINT_ON | ENDPOINT_BULK | (DATA_TO_HOST - USB_MEMORY));
    chip_put(ENDPOINT(SERIAL_OUT), ENDPOINT_ON | ENDPOINT_BULK | (DATA_FROM_HOST - USB_MEMORY));
    if (is_configured) {
        give(SERIAL_OUT, PACKET);
    }
}

static void describe(const struct request *request)
{
    switch (request->value) {
    case 0x0100:
        answer(request, DEVICE, sizeof DEVICE);
        break;
    case 0x0200:
        answer(request, CONFIGURATION, sizeof CONFIGURATION);
        break;
    case 0x0300:
        answer(request, LANGUAGES, sizeof LANGUAGES);
        break;
    case 0x0301:
        answer(request, MAKER, sizeof MAKER);
        break;
    case 0x0302:
        answer(request, PRODUCT, sizeof PRODUCT);
        break;
    default:
        // The description for a faster bus as well: there is none.
        refuse();
        break;
    }
}

// A halt that the host takes back; packets of that endpoint begin with an even one again.
static void resume(uint16_t endpoint)
{
    if (endpoint == 0x82 && !(chip_get(BUFFER(SERIAL_IN)) & BUFFER_GO)) {
        usb.odd[SERIAL_IN] = false;
    } else if (endpoint == 0x02) {
        usb.odd[SERIAL_OUT] = false;
        usb.n_heard = usb.n_taken = 0;
        chip_put(BUFFER(SERIAL_OUT), 0);
        give(SERIAL_OUT, PACKET);
    }
}

static void obey(const struct request *request)
{
    static const uint8_t NOTHING[2];
    static const uint8_t ONE = 1;
    // The kind of request and its number.
    switch ((uint32_t)request->type << 8 | request->what) {
    case 0x8006:
        describe(request);
        return;
    case 0x8008:
        answer(request, usb.is_configured ? &ONE : NOTHING, 1);
        return;
    case 0x8000:
    case 0x8100:
    case 0x8200:
        answer(request, NOTHING, 2);
        return;
    case 0x810a:
        answer(request, NOTHING, 1);
        return;
    case 0xa121:
        answer(request, usb.speed, sizeof usb.speed);
        return;
    case 0x2120:
        usb.wants_speed = true;
        give(CONTROL_OUT, PACKET);
        return;
    case 0x0005:
        usb.address = request->value & 0x7f;
        break;
    case 0x0009:
        configure(request->value == 1);
        break;
    case 0x0201:
        resume(request->index);
        break;
    case 0x2122:
        usb.is_open = request->value & 1;
        break;
    case 0x010b:
    case 0x2123:
        break;
    default:
        refuse();
        return;
    }
    agree();
}

static void on_request(void)
{
    uint32_t low = chip_get(REQUEST);
    uint32_t high = chip_get(REQUEST + 4);
    struct request request = {
        .type = (uint8_t)low,
        .what = (uint8_t)(low >> 8),
        .value = (uint16_t)(low >> 16),
        .index = (uint16_t)high,
        .length = (uint16_t)(high >> 16),
    };
    // Whatever was under way on this endpoint is over, and the first packet is odd.
    chip_put(BUFFER(CONTROL_IN), 0);
    chip_put(BUFFER(CONTROL_OUT), 0);
    usb.odd[CONTROL_IN] = usb.odd[CONTROL_OUT] = true;
    usb.answer = 0;
    usb.n_answer = 0;
    usb.owes_empty = usb.wants_speed = false;
    usb.address = 0;
    obey(&request);
}

static void on_answered(void)
{
    if (usb.address != 0) {
        chip_put(USB_ADDRESS, usb.address);
        usb.address = 0;
    } else if (usb.n_answer > 0 || usb.owes_empty) {
        answer_on();
    } else if (usb.answer != 0) {
        // The host says that it has all of it.
        usb.answer = 0;
        usb.odd[CONTROL_OUT] = true;
        give(CONTROL_OUT, PACKET);
    }
}

static void on_speed(void)
{
    if (usb.wants_speed) {
        usb.wants_speed = false;
        for (uint32_t at = 0; at < sizeof usb.speed; at++) {
            usb.speed[at] = byte_at(DATA_CONTROL, at);
        }
        agree();
    }
}

static void on_reset(void)
{
    chip_put(USB_ADDRESS, 0);
    usb.is_open = false;
    usb.address = 0;
    configure(false);
}

void usb_begin(void)
{
    chip_put(RESETS + SET, RESET_USB);
    chip_put(RESETS + CLEAR, RESET_USB);
    while (!(chip_get(RESETS_DONE) & RESET_USB)) {
    }
    for (uint32_t at = USB_MEMORY; at < MEMORY_END; at += 4) {
        chip_put(at, 0);
    }
    // To the pins of USB, as a device that is always plugged in: without its cable it has no power.
    chip_put(USB_MUXING, 1u << 0 | 1u << 3);
    chip_put(USB_PWR, 1u << 2 | 1u << 3);
    chip_put(USB_MAIN, 1);
    configure(false);
    chip_put(USB_SIE_CTRL, USB_SIE_CTRL_ONE);
    chip_put(USB_SIE_CTRL + SET, USB_SIE_CTRL_PULLUP);
}

void usb_poll(void)
{
    // In this order: what is done belongs to the request before.
    uint32_t status = chip_get(USB_SIE_STATUS);
    uint32_t done = chip_get(USB_BUFFERS);
    chip_put(USB_BUFFERS, done);
    if (status & USB_SIE_STATUS_RESET) {
        chip_put(USB_SIE_STATUS, USB_SIE_STATUS_RESET);
        on_reset();
        return;
    }
    if (done & 1u << CONTROL_IN) {
        on_answered();
    }
    if (done & 1u << CONTROL_OUT) {
        on_speed();
    }
    if (done & 1u << SERIAL_OUT && usb.is_configured) {
        usb.n_heard = (uint8_t)(chip_get(BUFFER(SERIAL_OUT)) & BUFFER_LENGTH);
        usb.n_taken = 0;
        if (usb.n_heard == 0) {
            give(SERIAL_OUT, PACKET);
        }
    }
    if (status & USB_SIE_STATUS_SETUP) {
        chip_put(USB_SIE_STATUS, USB_SIE_STATUS_SETUP);
        on_request();
    }
}

bool usb_is_open(void)
{
    return usb.is_configured && usb.is_open;
}

bool usb_get(char *byte)
{
    if (usb.n_taken == usb.n_heard) {
        return false;
    }
    *byte = (char)byte_at(DATA_FROM_HOST, usb.n_taken++);
    if (usb.n_taken == usb.n_heard) {
        give(SERIAL_OUT, PACKET);
    }
    return true;
}

uint8_t usb_put(const char *text, uint8_t n)
{
    if (!usb_is_open() || chip_get(BUFFER(SERIAL_IN)) & BUFFER_GO) {
        return 0;
    }
    if (n > SHORT_PACKET) {
        n = SHORT_PACKET;
    }
    send(SERIAL_IN, DATA_TO_HOST, (const uint8_t *)text, n);
    return n;
}
