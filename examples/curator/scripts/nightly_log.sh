#!/bin/sh
# Append the report of `nightly` to a log, with the time: nightly-log LOG [DIRECTORY]...
set -eu

curator=$(dirname "$0")/..
log=${1:?the file to append to}
shift
{
    date -u +'%Y-%m-%d %H:%M UTC'
    trio-agent script "$curator" nightly "$@"
} >>"$log"
