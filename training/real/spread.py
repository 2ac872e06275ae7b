"""Maps a function over items in forked processes, which see all that it refers to without being sent it. Fork before the GPU is first used."""

import multiprocessing

_work = None


def _call(item):
    return _work(item)


def spread(work, items: list, processes: int) -> list:
    global _work
    if processes <= 1:
        return [work(item) for item in items]
    _work = work
    with multiprocessing.get_context('fork').Pool(processes) as pool:
        return pool.map(_call, items, chunksize=max(1, len(items) // (processes * 16)))
