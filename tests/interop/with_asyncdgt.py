import asyncio
import sys

import asyncdgt
import chess


async def main():
    loop = asyncio.get_event_loop()
    board = asyncdgt.auto_connect(loop, [sys.argv[1]])
    async with asyncio.timeout(30):
        assert await board.get_version()
        assert (await board.get_board()).board_fen() == chess.STARTING_BOARD_FEN
        await board.set_clock(300, 300)
        clock = await board.get_clock()
        assert (clock.left_time, clock.right_time) == (300, 300), clock
    board.close()


asyncio.run(main())
