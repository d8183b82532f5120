import { HttpServerResponse } from "@effect/platform"

/** Answers with a text instead of bytes, because Node writes a text together with the headers, in one piece. */
export const response = (
  value: unknown,
  options: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
): HttpServerResponse.HttpServerResponse => {
  const text = JSON.stringify(value)
  // The spread comes last in the object: when an object literal begins with a spread, V8 makes a new hidden class for
  // each object, which is slow.
  return HttpServerResponse.raw(text, {
    contentType: "application/json",
    contentLength: Buffer.byteLength(text),
    ...options
  })
}
