/**
 * The script of the sign-in pages that names the browser's time zone in a cookie, for the sign-in that follows: plain
 * JavaScript for browsers. Every way to sign in passes one of these pages, and a form field would have to travel
 * through the second factor. Without the script the person chooses the zone in the settings.
 */
export const zoneScript = `"use strict"
;(() => {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (name) document.cookie = "time_zone=" + encodeURIComponent(name) + "; path=/; max-age=600; SameSite=Lax"
})()
`
