/** Where sign-in leads afterwards: a path of this very service, or its front page. */

// Printable ASCII only, one slash at the start and no backslash, which browsers read as a slash: `//evil`, `/\evil`.
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
const MAX_LENGTH = 2_048

export const safe = (path: string): string => {
  if (path.length > MAX_LENGTH || !PATH.test(path)) return "/"
  try {
    return new URL(path, "http://here.invalid").origin === "http://here.invalid" ? path : "/"
  } catch {
    return "/"
  }
}

export const signIn = (path: string): string =>
  safe(path) === "/" ? "/sign-in" : `/sign-in?return_to=${encodeURIComponent(path)}`
