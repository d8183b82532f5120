import { HttpServerResponse } from "@effect/platform"

/** Answers with a text instead of bytes, because Node then writes head and body in one piece. */
export const response = (
  value: unknown,
  options: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
): HttpServerResponse.HttpServerResponse => {
  const text = JSON.stringify(value)
  // The copied fields come last: V8 makes a new hidden class each time for an object that begins with a copy.
  return HttpServerResponse.raw(text, {
    contentType: "application/json",
    contentLength: Buffer.byteLength(text),
    ...options
  })
}
