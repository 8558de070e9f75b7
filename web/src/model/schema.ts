// Forms follow from the JSON Schema the server gives out: kinds, defaults, limits, descriptions.
import type { Json, JsonObject } from '../api/types'
import { getAt, isObject, type Path } from './spec'

export interface Schema {
  // 'lines' and 'paragraph' are texts that hold anything, so that no comma and no end of a line divides them.
  kind: 'text' | 'paragraph' | 'choice' | 'integer' | 'number' | 'boolean' | 'texts' | 'lines' | 'choices' | 'map' | 'object' | 'objects' | 'secret' | 'other'
  description: string
  default?: Json
  choices: string[]
  pattern?: string
  minimum?: number
  maximum?: number
  properties: [string, JsonObject][]
  required: string[]
  values?: JsonObject // what a map holds under its keys
}

export function schemaAt(root: JsonObject, path: Path): JsonObject | undefined {
  let at: JsonObject | undefined = root
  for (const key of path) {
    const next: Json | undefined = typeof key === 'number' ? at?.items : (getAt(at, ['properties', key]) ?? at?.additionalProperties)
    at = isObject(next) ? next : undefined
  }
  return at
}

export function describe(rule: JsonObject): Schema {
  const properties = isObject(rule.properties) ? Object.entries(rule.properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1]) && !entry[1].not) : []
  return {
    kind: kindOf(rule),
    description: typeof rule.description === 'string' ? rule.description : '',
    default: rule.default,
    choices: choicesOf(rule),
    pattern: typeof rule.pattern === 'string' ? rule.pattern : undefined,
    minimum: typeof rule.minimum === 'number' ? rule.minimum : undefined,
    maximum: typeof rule.maximum === 'number' ? rule.maximum : undefined,
    properties,
    required: Array.isArray(rule.required) ? rule.required.map(String) : [],
    values: isObject(rule.additionalProperties) ? rule.additionalProperties : undefined,
  }
}

function choicesOf(rule: JsonObject): string[] {
  const list = Array.isArray(rule.enum) ? rule.enum : isObject(rule.items) && Array.isArray(rule.items.enum) ? rule.items.enum : []
  return list.map(String)
}

function kindOf(rule: JsonObject): Schema['kind'] {
  switch (rule.type) {
    case 'string':
      if (Array.isArray(rule.enum)) return 'choice'
      return rule.pattern === undefined ? 'paragraph' : 'text'
    case 'integer':
      return 'integer'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return listKind(rule)
    case 'object':
      if (rule.maxProperties === 1) return 'secret'
      if (isObject(rule.properties)) return 'object'
      return isObject(rule.additionalProperties) ? 'map' : 'other'
    default:
      return 'other'
  }
}

function listKind(rule: JsonObject): Schema['kind'] {
  if (!isObject(rule.items)) return 'other'
  if (rule.items.type === 'string') {
    if (Array.isArray(rule.items.enum)) return 'choices'
    return rule.items.pattern === undefined ? 'lines' : 'texts'
  }
  return rule.items.type === 'object' ? 'objects' : 'other'
}

export interface MapRow {
  key: string
  value: Json
}

export function rowsOf(value: Json | undefined): MapRow[] {
  return isObject(value) ? Object.entries(value).map(([key, each]) => ({ key, value: each })) : []
}

// A row without a key is still being typed; of two with the same key the last counts.
export function mapOf(rows: MapRow[]): JsonObject | undefined {
  const entries = rows.filter(({ key }) => key !== '').map(({ key, value }): [string, Json] => [key, value])
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

export function parseLines(text: string): string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 0 ? lines : undefined
}

export function parseTexts(text: string): string[] | undefined {
  const items = text.split(/[\n,]+/).map((item) => item.trim()).filter(Boolean)
  return items.length > 0 ? items : undefined
}
