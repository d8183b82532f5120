/**
 * The script of the sign-in pages: plain JavaScript for browsers. The script writes the browser's time zone into a
 * cookie, which the sign-in reads. The cookie works for every way to sign in; a form field would have to be passed on
 * by the page of the second factor. The cookie expires after ten minutes, and the page may be open for longer, so the
 * script writes the cookie again when the form is sent. Without the script, the person chooses the zone in the
 * settings.
 */
export const zoneScript = `"use strict"
;(() => {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!name) return
  const write = () => {
    document.cookie = "time_zone=" + encodeURIComponent(name) + "; path=/; max-age=600; SameSite=Lax"
  }
  write()
  addEventListener("submit", write)
})()
`
