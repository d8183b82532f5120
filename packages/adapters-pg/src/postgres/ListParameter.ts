/**
 * A list as the server reads it: `{"a",1,NULL}`. Undefined for one that holds anything but texts, numbers, truth values and nulls: that
 * is the driver's, which puts every list together by way of a pattern and several copies.
 */
export const listParameter = (values: ReadonlyArray<unknown>): string | undefined => {
  let text = "{"
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (at > 0) text += ","
    if (typeof value === "string") text += quoted(value)
    else if (value === null) text += "NULL"
    else if (typeof value === "number" || typeof value === "boolean") text += String(value)
    else return undefined
  }
  return `${text}}`
}

const quoted = (value: string): string =>
  value.includes("\\") || value.includes('"') ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`
