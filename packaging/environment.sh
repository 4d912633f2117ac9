# Sourced by run.sh and test.sh: `prepare runtime` or `prepare test` leaves $ROOT/.venv ready to use.
# A second start only compares a stamp, so it costs a fraction of a second.

ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
VENV=$ROOT/.venv
TOOLS=$ROOT/.venv-tools
AUDIT=$ROOT/.venv-audit

# What the Qt libraries and plugins link to, each with the Debian 12 package that has it.
QT_LIBRARIES="
libEGL.so.1 libegl1
libGL.so.1 libgl1
libX11-xcb.so.1 libx11-xcb1
libX11.so.6 libx11-6
libbrotlidec.so.1 libbrotli1
libdbus-1.so.3 libdbus-1-3
libfontconfig.so.1 libfontconfig1
libfreetype.so.6 libfreetype6
libglib-2.0.so.0 libglib2.0-0
libgssapi_krb5.so.2 libgssapi-krb5-2
libwayland-client.so.0 libwayland-client0
libwayland-cursor.so.0 libwayland-cursor0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-image.so.0 libxcb-image0
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-randr.so.0 libxcb-randr0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-render.so.0 libxcb-render0
libxcb-shape.so.0 libxcb-shape0
libxcb-shm.so.0 libxcb-shm0
libxcb-sync.so.1 libxcb-sync1
libxcb-util.so.1 libxcb-util1
libxcb-xfixes.so.0 libxcb-xfixes0
libxcb-xkb.so.1 libxcb-xkb1
libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxkbcommon.so.0 libxkbcommon0
"

# Programs that tests start: a screen, a keyring and what screen readers ask, of their own; a
# browser and a reader of PDF for reports; a database server for hubs; what tells system calls.
TEST_PROGRAMS="
Xvfb xvfb
xauth xauth
dbus-run-session dbus-daemon
gnome-keyring-daemon gnome-keyring
/usr/libexec/at-spi-bus-launcher at-spi2-core
chromium chromium
pdftotext poppler-utils
pg_ctlcluster postgresql
strace strace
pgbouncer pgbouncer
"

say() { printf '%s\n' "$*" >&2; }

stop() {
    say "$@"
    exit 2
}

has_display() {
    case ${QT_QPA_PLATFORM:-} in
        offscreen* | minimal*) return 1 ;;
        ?*) return 0 ;;
    esac
    [ "$(uname)" != Linux ] || [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]
}

prepare() { # runtime|test
    state="$ROOT $(cat "$ROOT"/packaging/environment.sh "$ROOT"/pyproject.toml \
        "$ROOT"/packaging/constraints*.txt | cksum)"
    install_packages "$(missing_packages "$1")" "$1"
    if stands "$1" "$state"; then return; fi
    make_environment "$1"
    # tests need all that the program needs, so one environment serves both
    [ "$1" = runtime ] || printf '%s\n' "$state" >"$VENV/.ready-runtime"
    printf '%s\n' "$state" >"$VENV/.ready-$1"
}

# The libraries of other tools, with which tests read what is written for them. Without them those
# tests are skipped and say so.
prepare_tools() {
    prepare_beside "$TOOLS" constraints-tools.txt "so the tests that need them are skipped"
}

prepare_beside() { # ENVIRONMENT PINS CONSEQUENCE
    state="$ROOT $(cksum <"$ROOT/packaging/$2")"
    [ "$(cat "$1/.ready" 2>/dev/null)" = "$state" ] && return
    say "Making the environment ${1##*/} (once; a minute or two)."
    if "$(find_python)" -m venv --clear "$1" && "$1/bin/python" -m pip install -qq \
        --no-input --disable-pip-version-check --no-deps --require-hashes \
        -r "$ROOT/packaging/$2" </dev/null >&2; then
        printf '%s\n' "$state" >"$1/.ready"
    else
        say "The libraries of packaging/$2 could not be installed, $3."
    fi
}

stands() { # KIND STATE
    [ "$(cat "$VENV/.ready-$1" 2>/dev/null)" = "$2" ] && "$VENV/bin/python" -c "" 2>/dev/null
}

find_python() {
    for name in "${PYTHON:-}" python3.11 python3 python3.12 python3.13 python3.14; do
        if [ -n "$name" ] && "$name" -c \
            'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$name"
            return
        fi
    done
}

missing_packages() { # KIND
    [ "$(uname)" = Linux ] || return 0
    if ! "$VENV/bin/python" -c "" 2>/dev/null && [ -z "$(find_python)" ]; then
        printf 'python3 python3-venv '
    fi
    known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || true)
    printf '%s\n' "$QT_LIBRARIES" | while read -r library package; do
        case $known in *"$library "*) ;; *) printf '%s ' "$package" ;; esac
    done
    [ "$1" = test ] || return 0
    printf '%s\n' "$TEST_PROGRAMS" | while read -r program package; do
        [ -z "$program" ] || command -v "$program" >/dev/null || printf '%s ' "$package"
    done
}

install_packages() { # "PACKAGE..." KIND
    [ -n "${1% }" ] || return 0
    if ! command -v apt-get >/dev/null; then
        say "Some system packages are missing (by their Debian names: ${1% }); install what your system calls them."
    elif [ "$(id -u)" = 0 ]; then
        say "Installing system packages: ${1% }"
        # shellcheck disable=SC2086  # one word a package
        { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
            --no-install-recommends $1; } </dev/null >/dev/null ||
            stop "The system packages could not be installed; the lines above say why."
    else
        say "Some system packages are missing; install them with: sudo apt-get install -y --no-install-recommends ${1% }"
        [ "$2" = test ] || exit 2
    fi
}

make_environment() { # KIND
    [ "$1" = test ] && pins=constraints-test.txt || pins=constraints.txt
    # a checkout that was moved, or an environment left half made, starts anew
    if [ "$(cat "$VENV/.place" 2>/dev/null)" != "$ROOT" ] || ! "$VENV/bin/python" -c "" 2>/dev/null; then
        python=$(find_python)
        [ -n "$python" ] || stop "Reviewer needs Python 3.11 or newer with its venv module; on Debian: sudo apt-get install -y python3 python3-venv"
        say "Making the environment .venv (once; a minute or two)."
        "$python" -m venv --clear "$VENV" || stop "The environment .venv could not be made; the lines above say why."
        printf '%s' "$ROOT" >"$VENV/.place"
    fi
    say "Installing the pinned libraries."
    pip_install --no-deps --require-hashes -r "$ROOT/packaging/$pins"
    pip_install --no-deps --no-build-isolation -e "$ROOT"
}

pip_install() {
    "$VENV/bin/python" -m pip install -qq --no-input --disable-pip-version-check "$@" </dev/null >&2 ||
        stop "The libraries could not be installed; the lines above say why."
}
