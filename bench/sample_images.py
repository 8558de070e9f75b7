"""Images of a size that tells something, always the same: 20 of them, three base layers of 40 MB that all share and
two of 10 to 30 MB of their own. 43 layers, about 970 MB of tar, 555 MB compressed. Kept in the cache folder.

    layout, docker_archive, names = sample_images.make(cache_folder)
"""
import concurrent.futures
import gzip
import hashlib
import io
import json
import pathlib
import random
import shutil
import tarfile

MB = 1_000_000
VERSION = "2"  # of what is made here: another one is made anew
IMAGES, BASES, OWN = 20, 3, 2
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def _content(size, dice):
    """Like programs: a part that is compressed already, a part of few different bytes, a part that repeats."""
    words = [dice.randbytes(dice.randint(8, 64)) for _ in range(500)]
    skewed = bytes(min(255, int(dice.expovariate(0.03))) for _ in range(65536))
    out = io.BytesIO()
    while out.tell() < size:
        sort = dice.random()
        if sort < 0.22:
            out.write(dice.randbytes(4096))
        elif sort < 0.50:
            at = dice.randrange(len(skewed) - 4096)
            out.write(skewed[at:at + 4096])
        else:
            out.write(b"".join(dice.choices(words, k=110))[:4096])
    return out.getvalue()[:size]


def _layer(job):
    """Writes one layer twice, as it is and compressed; returns (number, diff id, digest, size)."""
    number, size, raw, blobs = job
    dice = random.Random(f"slipway {VERSION} {number}")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for index in range(size // MB):
            entry = tarfile.TarInfo(f"opt/layer{number}/file{index}")
            entry.size, entry.mode = MB, 0o644
            tar.addfile(entry, io.BytesIO(_content(MB, dice)))
    plain = archive.getvalue()
    packed = gzip.compress(plain, 6, mtime=0)
    diff, digest = hashlib.sha256(plain).hexdigest(), hashlib.sha256(packed).hexdigest()
    (raw / f"{diff}.tar").write_bytes(plain)
    (blobs / digest).write_bytes(packed)
    return number, diff, digest, len(packed)


def _put(blobs, value):
    text = json.dumps(value, separators=(",", ":")).encode()
    digest = hashlib.sha256(text).hexdigest()
    (blobs / digest).write_bytes(text)
    return {"digest": f"sha256:{digest}", "size": len(text)}


def _add(tar, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def make(cache):
    folder = pathlib.Path(cache) / f"images-{VERSION}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _make(folder)
        (folder / "done").write_text("")
    names = json.loads((folder / "names.json").read_text())
    return folder / "oci", folder / "docker.tar.gz", names


def _make(folder):
    blobs, raw = folder / "oci" / "blobs" / "sha256", folder / "raw"
    blobs.mkdir(parents=True)
    raw.mkdir()
    dice = random.Random(f"slipway {VERSION}")
    sizes = [40 * MB] * BASES + [dice.randint(10, 30) * MB for _ in range(IMAGES * OWN)]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        layers = sorted(pool.map(_layer, [(n, size, raw, blobs) for n, size in enumerate(sizes)]))
    index, docker, names = [], [], []
    with tarfile.open(folder / "docker.tar", "w") as archive:
        for number in range(IMAGES):
            mine = [layers[i] for i in (*range(BASES), *range(BASES + OWN * number, BASES + OWN * (number + 1)))]
            name = f"registry.example.com/bench/image{number:02}:v1"
            config = {"architecture": "amd64", "os": "linux", "config": {},
                      "rootfs": {"type": "layers", "diff_ids": ["sha256:" + one[1] for one in mine]}}
            described = _put(blobs, config)
            manifest = _put(blobs, {"schemaVersion": 2, "mediaType": MANIFEST, "config": {"mediaType": CONFIG, **described},
                                    "layers": [{"mediaType": LAYER, "digest": f"sha256:{one[2]}", "size": one[3]} for one in mine]})
            index.append({"mediaType": MANIFEST, **manifest, "annotations": {"org.opencontainers.image.ref.name": name}})
            _add(archive, described["digest"][7:] + ".json", json.dumps(config, separators=(",", ":")).encode())
            docker.append({"Config": described["digest"][7:] + ".json", "RepoTags": [name],
                           "Layers": [f"{one[1]}/layer.tar" for one in mine]})
            names.append(name)
        for _, diff, _, _ in layers:
            archive.add(raw / f"{diff}.tar", f"{diff}/layer.tar")
        _add(archive, "manifest.json", json.dumps(docker).encode())
    with open(folder / "docker.tar", "rb") as plain, gzip.open(folder / "docker.tar.gz", "wb", 6) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    shutil.rmtree(raw)
    (folder / "oci" / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
    (folder / "oci" / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": index}))
    (folder / "names.json").write_text(json.dumps(names))
