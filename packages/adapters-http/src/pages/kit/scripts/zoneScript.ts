/**
 * The script of the sign-in pages: plain JavaScript for browsers. It writes the browser's time zone into a cookie,
 * which the sign-in reads. Every way to sign in passes one of these pages; a form field would have to be passed on by
 * the page of the second factor. Without the script the person chooses the zone in the settings.
 */
export const zoneScript = `"use strict"
;(() => {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (name) document.cookie = "time_zone=" + encodeURIComponent(name) + "; path=/; max-age=600; SameSite=Lax"
})()
`
