#!/bin/sh
# ccache for clang with precompiled headers, so that one clone's objects serve the next: paths below the build folder become
# relative, and a sum beside the precompiled headers (cmake/SlipwayLayer.cmake) stands for them. What a file reads is taken from
# the compiler's own list (CCACHE_DEPEND): a file that is new to the cache need not be preprocessed first.
here=$PWD/
for word; do
    shift
    set -- "$@" "${word#"$here"}"
done
case " $* " in
    *" -o "*.pch" "*) exec "$@" ;;
esac
CCACHE_PCH_EXTSUM=1 CCACHE_DEPEND=1 exec ccache "$@"
