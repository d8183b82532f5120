/**
 * The page to show after a sign-in or a confirmation: a path of this service. Any other address becomes the front page,
 * so that nobody can use this service as an open redirect.
 */

// Matches printable ASCII only, with one slash at the start and no backslash. Browsers read a backslash as a slash, and
// they read `//evil` and `/\evil` as the address of another host.
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
const MAX_LENGTH = 2_048

export const safe = (path: string): string => {
  if (path.length > MAX_LENGTH || !PATH.test(path)) return "/"
  try {
    const isHere = new URL(path, "http://here.invalid").origin === "http://here.invalid"
    return isHere ? withNotice(path, (name) => AFTERWARDS.has(name)) : "/"
  } catch {
    return "/"
  }
}

/**
 * The name of a notice (`done` in the address). It is for the page to which a person comes back after a sign-in or a
 * confirmation that interrupted a form. The service has not done what the form asked for, so the notice says that
 * nothing has changed (decision accounts-17).
 */
export const CHOOSE_AGAIN = "choose-again"

/**
 * The notices that a page may show after a sign-in or a confirmation. All other notices say that something was done.
 * These are not shown after a sign-in: anybody can make a link to the sign-in page that names such a notice, and the
 * notice would be false.
 */
const AFTERWARDS: ReadonlySet<string> = new Set([CHOOSE_AGAIN, "exact-location-not-restored", "export-confirmed"])

/** Returns the address. Leaves out the name of the notice when `isShown` refuses the name. */
export const withNotice = (address: string, isShown: (name: string) => boolean): string => {
  const [, page = "", query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(.*)$/.exec(address) ?? []
  const fields = new URLSearchParams(query)
  if (fields.getAll("done").every(isShown)) return address
  fields.delete("done")
  return `${page}${fields.size === 0 ? "" : `?${fields}`}${fragment}`
}

/**
 * Returns a function that makes the address of the page `to`. When the person has finished there, the page `to` leads
 * to `path`.
 */
export const before =
  (to: `/${string}`) =>
  (path: string): string =>
    safe(path) === "/" ? to : `${to}?return_to=${encodeURIComponent(path)}`

export const signIn = before("/sign-in")
export const signUp = before("/sign-up")
export const forgotPassword = before("/forgot-password")
export const unlockLink = before("/unlock-link")

/**
 * The address of the page on which a signed-in person proves once more who they are. The page leads to `path`
 * afterwards.
 */
export const confirm = (path: string): string => `/confirm?return_to=${encodeURIComponent(safe(path))}`

/** The address of the page that asks for the second factor of a sign-in. The page leads to `path` afterwards. */
export const secondStep = (path: string): string => `/sign-in/second-step?return_to=${encodeURIComponent(safe(path))}`
