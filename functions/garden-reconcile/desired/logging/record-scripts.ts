// Lua functions that fluent-bit calls for each record: one puts the record's tag into it, one writes its severity in one spelling.
//
//   {"severity":"warning"} // becomes {"severity":"WARN"}

const spellings = {
  INFO: ['I', 'INF', 'INFO'],
  WARN: ['W', 'WRN', 'WARN', 'WARNING'],
  ERR: ['E', 'ERR', 'ERROR', 'EROR'],
  DBG: ['D', 'DBG', 'DEBUG'],
  NOTICE: ['N', 'NOTICE'],
  FATAL: ['F', 'FATAL'],
} as const

const rows = Object.entries(spellings).flatMap(([severity, given]) =>
  given.map(spelling => `  ["${spelling}"] = "${severity}",`),
)

const modifySeverity = `local severities = {
${rows.join('\n')}
}

function modify_severity(tag, timestamp, record)
  local given = record["severity"]
  if type(given) ~= "string" then return 0, 0, 0 end
  local severity = severities[given:match("^%s*(.-)%s*$"):upper()]
  if severity == nil then return 0, 0, 0 end
  record["severity"] = severity
  return 1, timestamp, record
end
`

const addTagToRecord = `function add_tag_to_record(tag, timestamp, record)
  record["tag"] = tag
  return 1, timestamp, record
end
`

/** By the file's name. */
export const recordScripts = { 'add_tag_to_record.lua': addTagToRecord, 'modify_severity.lua': modifySeverity } as const
