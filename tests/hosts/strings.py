"""Strings that do harm where somebody forgets to quote. Each runs CANARY where it is taken for a command."""

CANARY = "slipway-canary"
COMMAND = f"touch /tmp/{CANARY}"

_WRAPPED = [
    "$({c})", "`{c}`", ";{c};", "&{c}&", "|{c}|", "&&{c}", "||{c}", "'{c}'", '"{c}"', "';{c};'", '";{c};"', "');{c};('",
    "\\';{c};\\'", "<({c})", ">({c})", "$[{c}]", "$(({c}))", "${{IFS;{c}}}", "x$({c})y", "a b;{c}", "\\$({c})", "!{c}", "^{c}^",
    "'$({c})'", "\"$({c})\"", "'`{c}`'", "%x; {c}", "a'b\"c`{c}`", "}};{c};{{", "*;{c}", "~;{c}", "#\n{c}", "\n{c}\n", "\r{c}\r",
    "EOF\n{c}\nEOF\n", "\0{c}", "x\0y", "\t{c}\t", "\x1b[31m{c}\x1b[0m", "\x1b]0;{c}\x07", "\u202e{c}", "\u2028{c}",
    "x\n[Service]\nExecStart={c}", "x\n* * * * * root {c}", "x ALL=(ALL) NOPASSWD: ALL\n{c}", "{{{{ {c} }}}}", "<%= `{c}` %>",
    "eval {c}", "exec {c}", "sh -c '{c}'", "xargs {c}", "-exec {c} ;", "-oProxyCommand={c}", "--checkpoint-action=exec={c}",
]
_PLAIN = [
    "-rf", "-rf /", "--", "--help", "-", "--no-preserve-root", "-oPermitLocalCommand=yes", "-e", "-n", "-i", "*", "?", "[a-z]*", "~",
    "~root", "~/.ssh", ".", "..", "../../etc/passwd", "/../../etc", "//", "/", "\\", "\\\\", "\\n", "\\0", "'", "''", "\"", "\"\"",
    "`", "$", "$$", "$?", "$0", "$*", "$@", "${HOME}", "$HOME", "$IFS", "${IFS}", "%", "%%", "%h", "%n%n%n", "%s%s%s", "%d", "%(x)s",
    "{a,b}", "{1..9}", "!!", "!$", "#", "# x", "=", "==", "a=b", "a:b", ":", "::", "root:x:0:0::/:/bin/sh", "a,b", ",", ";", "&", "|", "<", ">",
    ">>", "<<", "<<EOF", "(", ")", "()", "() { :;}; touch /tmp/slipway-canary", "{", "}", "[", "]", "[[", " ", "  ", " x", "x ", "a b", "a  b",
    "\t", "\n", "\r", "\r\n", "a\nb", "\x00", "\x01", "\x07", "\x08", "\x0b", "\x1b", "\x1b[2J", "\x7f", "\x85", "\u00a0", "\u200b", "\u200e", "\u202e", "\u2066x\u2069", "\ufeff",
    "\ufffd", "\U0001f4a5", "e\u0301", "\u0131", "\u0130", "\u00df", "\u4f60\u597d", "\u0627\u0644", "x" * 300, "x" * 5000, "\u00e9" * 200, "null", "~null", "true", "false",
    "yes", "no", "on", "off", "0", "-1", "1e3", "0x10", "0o7", "1_000", ".inf", ".nan", "1.0", "2026-11-15", "!!python/object:os.system",
    "!!binary aGk=", "&anchor", "*alias", "<<: x", "- x", "? x", "key: value", "key: {a: b}", "[x]", "{x}", "'; DROP TABLE runs; --",
    "\" OR 1=1 --", "<script>", "<!--", "]]>", "&amp;", "a@b", "@a", "user@host", "a\\b", "DOMAIN\\user", "a$b", "a+b", "a.b", "a_b", "a-b", "A", "Ab",
    "slipway", "root", "local", "localhost", "127.0.0.1", "::1", "fe80::1%eth0", "[::1]", "0.0.0.0", "255.255.255.255", "con", "nul",
    "LD_PRELOAD", "PATH", "IFS", "BASH_ENV", "COM1", "x.service", "@x.service", "x\\x2dy", "%i", "%I", "%u",
]

ALL = [text.format(c=COMMAND) for text in _WRAPPED] + _PLAIN
# The same with something harmless before or after, where a check looks at one end only.
ALL += [f"safe{text}" for text in ALL[:60]] + [f"{text}safe" for text in ALL[:40]]
