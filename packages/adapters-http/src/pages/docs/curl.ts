import { callerOf } from "../../openapi/Security.js"
import { type Json, isObject, list, object, text } from "../../openapi/Json.js"
import { schemeOf } from "./schemes.js"

/** The operation as a curl command, with the example values. Credentials are shell variables. */
export const curl = (baseUrl: string, method: string, path: string, operation: Json): string => {
  const { scheme } = callerOf(operation)
  const [contentType, media] = Object.entries(object(object(operation["requestBody"])["content"]))[0] ?? []
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quote(baseUrl + address(path, operation))}`,
    ...(scheme === null ? [] : [schemeOf(scheme).credentials]),
    ...(scheme === "session" && method !== "GET" ? [`-H ${quote(`Origin: ${baseUrl}`)}`] : []),
    ...(contentType === undefined ? [] : [`-H ${quote(`Content-Type: ${contentType}`)}`]),
    ...(media === undefined ? [] : body(object(media)))
  ]
  return lines.join(" \\\n  ")
}

/**
 * Query parameters that the example contains although the contract does not require them. Some phone apps use other
 * names for these parameters, so the contract requires none of them. But the example needs them: a request without a
 * position has no reading to store.
 */
const POSITION: ReadonlyArray<string> = ["lat", "lon"]

const address = (path: string, operation: Json): string => {
  const parameters = list(operation["parameters"]).map(object)
  const named = (place: string) => parameters.filter((one) => one["in"] === place && one["example"] !== undefined)
  const filled = named("path").reduce(
    (filled, one) => filled.replace(`{${text(one["name"])}}`, encodeURIComponent(String(one["example"]))),
    path
  )
  const query = new URLSearchParams(
    named("query")
      .filter((one) => one["required"] === true || POSITION.includes(text(one["name"])))
      .map((one): [string, string] => [text(one["name"]), String(one["example"])])
  ).toString()
  return query === "" ? filled : `${filled}?${query}`
}

const body = (media: Json): ReadonlyArray<string> => {
  const [first] = Object.values(object(media["examples"]))
  const example = media["example"] ?? object(first)["value"]
  if (example === undefined) return ["--data-binary @FILE"]
  return [isObject(example) ? `-d ${quote(JSON.stringify(example, null, 2))}` : `-d ${quote(String(example))}`]
}

/** A text as a single-quoted word of a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
