"""For schemathesis: most of the names it makes up are those of things that are there."""
import zlib

import schemathesis

THERE = {"name": "demo", "run": "1", "path": "hosts.w1.password", "id": "SPEC-INVALID"}
SPARE = {**THERE, "name": "spare"}  # may be removed: the others are still needed


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not path_parameters:
        return path_parameters
    there = SPARE if context.operation.method.lower() == "delete" else THERE
    known = zlib.crc32(repr(sorted(path_parameters.items())).encode()) % 4 != 0
    return {key: there.get(key, value) if known else value for key, value in path_parameters.items()}
