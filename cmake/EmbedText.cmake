# Called by slipway_embed_text: writes OUT with the text of IN as a C++ raw string.
# The symbol is slipway::embedded::TARGET_NAME, for example slipway_store_v1.
file(READ ${IN} text)
set(code "// Generated from ${NAME}; do not edit.\nnamespace slipway::embedded {\n")
string(APPEND code "extern const char ${TARGET}_${NAME}[];\n")
string(APPEND code "const char ${TARGET}_${NAME}[] = R\"embedded(${text})embedded\";\n}\n")
file(WRITE ${OUT} "${code}")
