#!/bin/sh
# ccache for clang with precompiled headers, so that one clone's objects serve the next: paths below the build folder become
# relative, and a sum beside the precompiled headers (cmake/SlipwayLayer.cmake) stands for them.
here=$PWD/
for word; do
    shift
    set -- "$@" "${word#"$here"}"
done
case " $* " in
    *" -o "*.pch" "*) exec "$@" ;;
esac
CCACHE_PCH_EXTSUM=1 exec ccache "$@"
