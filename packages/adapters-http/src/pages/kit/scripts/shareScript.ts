/**
 * The script of the page “Share from this browser”: plain JavaScript for browsers. The script adds this browser as a
 * device, reads the position from Start until Stop, and uploads it as a phone's app does. The browser stores the
 * device's token and the positions that are not sent yet, separately for each account. So when another person signs in
 * on this browser, their page cannot send with the first person's token. The texts come from `data-texts` of the
 * script's element.
 */
export const shareScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  const box = document.getElementById("share")
  if (box === null) return
  const part = (id) => document.getElementById(id)
  const [start, stop, forget, said, waiting, sent] = [
    "share-start",
    "share-stop",
    "share-forget",
    "share-said",
    "share-waiting",
    "share-sent"
  ].map(part)
  const { account, name } = box.dataset
  const [DEVICE, QUEUE] = ["share-device:" + account, "share-queue:" + account]
  // The most positions in the queue: a day with one position every two minutes. Beyond this number the script drops the
  // oldest positions, because the newest matter most.
  const MOST = 720
  const AT_ONCE = 100
  const LEAST_MS = 10000
  const LEAST_M = 20
  const RETRY_MS = 30000
  const MOST_RETRY_MS = 300000

  box.hidden = false
  if (!window.isSecureContext || !("geolocation" in navigator)) {
    said.textContent = texts.notSecure
    start.hidden = true
    return
  }

  const load = (key) => JSON.parse(localStorage.getItem(key) ?? "null")
  const save = (key, value) =>
    value === null || value.length === 0
      ? localStorage.removeItem(key)
      : localStorage.setItem(key, JSON.stringify(value))
  const queue = () => load(QUEUE) ?? []

  let watch
  let last
  const show = () => {
    const { length } = queue()
    waiting.textContent =
      length === 0 ? "" : length === 1 ? texts.waitsOne : texts.waits.replace("{count}", length)
    const focused = [start, stop, forget].find((one) => one === document.activeElement)
    start.hidden = watch !== undefined
    stop.hidden = watch === undefined
    forget.hidden = load(DEVICE) === null
    if (focused?.hidden) focus()
  }
  // A button that is hidden or disabled loses the focus, and a screen reader then starts again at the top of the page.
  // So the script moves the focus to the button that replaces the hidden or disabled button.
  const focus = () => (watch === undefined ? start : stop).focus()
  const clock = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "medium", hourCycle: "h23" })
  const number = new Intl.NumberFormat(document.documentElement.lang)
  const listed = (locations) => {
    for (const { accuracy_m, captured_at } of locations) {
      const row = document.createElement("li")
      row.textContent = texts.row
        .replace("{time}", clock.format(new Date(captured_at)))
        .replace("{metres}", number.format(Math.ceil(accuracy_m)))
      sent.prepend(row)
    }
    while (sent.children.length > 5) sent.lastChild.remove()
    part("share-sent-title").hidden = sent.children.length === 0
  }
  const end = (words) => {
    if (watch !== undefined) navigator.geolocation.clearWatch(watch)
    watch = undefined
    last = undefined
    clearTimeout(timer)
    said.textContent = words
    show()
  }

  // During an upload, another tab may remove locations from the queue, and a full queue drops its oldest locations. So
  // the script finds the sent locations by their values. Removing the first locations of the queue could remove
  // locations that were never sent.
  const valueOf = ({ captured_at, lat, lon }) => [captured_at, lat, lon].join()
  const remove = (locations) => {
    const values = new Set(locations.map(valueOf))
    save(QUEUE, queue().filter((location) => !values.has(valueOf(location))))
  }

  // After a failed upload the script pauses, and new positions do not end the pause. Otherwise the browser in a moving
  // car would send a request every second to a service that has asked clients to wait.
  let timer
  let failures = 0
  let isPaused = false
  const flushIn = (ms) => {
    clearTimeout(timer)
    timer = setTimeout(flush, ms)
  }
  /**
   * How many milliseconds to wait after a failed upload. The upper bound also applies when Retry-After asks for hours.
   */
  const pauseMs = (retryAfter) => {
    const asked = Number(retryAfter)
    return Math.min(asked > 0 ? asked * 1000 : RETRY_MS * 2 ** (failures - 1), MOST_RETRY_MS)
  }

  // The script sends only while this page shares, because the page says that it sends nothing before Start and after
  // Stop. One tab runs one upload at a time. Another tab may send the same locations; the service stores each location
  // once.
  let isSending = false
  const flush = async () => {
    clearTimeout(timer)
    isPaused = false
    const device = load(DEVICE)
    const locations = queue().slice(0, AT_ONCE)
    if (watch === undefined || isSending || device === null || locations.length === 0) return show()
    isSending = true
    let isStored = false
    let retryAfter = null
    try {
      const answer = await fetch("/v1/phone/locations", {
        method: "POST",
        credentials: "omit",
        headers: { authorization: "Bearer " + device.token, "content-type": "application/json" },
        body: JSON.stringify({ locations })
      })
      retryAfter = answer.headers.get("retry-after")
      isStored = answer.ok
      if (isStored) {
        remove(locations)
        listed(locations)
        if (watch !== undefined) said.textContent = texts.sharing
      } else if (answer.status === 401) {
        save(DEVICE, null)
        save(QUEUE, null)
        end(texts.removed)
      }
      // All other failures count as temporary, such as too many requests or a server that restarts. The next attempt
      // sends the same locations.
    } catch {
      if (watch !== undefined) said.textContent = texts.offline
    }
    isSending = false
    if (isStored) failures = 0
    else if (navigator.onLine) failures++
    show()
    // A browser that is offline starts no timer: its event "online" begins the next upload.
    if (watch === undefined || queue().length === 0 || !navigator.onLine) return
    isPaused = !isStored
    flushIn(isPaused ? pauseMs(retryAfter) : queue().length > AT_ONCE ? 0 : RETRY_MS)
  }

  const metres = (a, b) => {
    const east = (b.lon - a.lon) * Math.cos((a.lat * Math.PI) / 180)
    return Math.hypot(b.lat - a.lat, east) * 111320
  }
  const found = ({ coords, timestamp }) => {
    if (watch === undefined) return
    // Replaces a timestamp that is ahead of the clock with the present time: the service quarantines a reading whose
    // time is more than five minutes after its arrival (Fix.MAX_AHEAD).
    const at = Math.min(timestamp, Date.now())
    const location = {
      captured_at: new Date(at).toISOString(),
      lat: coords.latitude,
      lon: coords.longitude,
      accuracy_m: coords.accuracy,
      ...(coords.altitude === null ? {} : { altitude_m: coords.altitude }),
      ...(coords.speed === null ? {} : { speed_mps: coords.speed }),
      ...(coords.heading === null || Number.isNaN(coords.heading) ? {} : { course_deg: coords.heading })
    }
    // After somebody has set the clock back, the time of a new position is before the time of the last position. The
    // page must not wait until the clock has caught up.
    const isSoon = last !== undefined && Math.abs(at - last.at) < LEAST_MS
    if (isSoon && metres(last, location) < LEAST_M) return
    last = { at, lat: location.lat, lon: location.lon }
    save(QUEUE, [...queue(), location].slice(-MOST))
    if (isPaused) show()
    else flush()
  }
  const missed = ({ code }) => {
    if (code === 1) end(texts.notAllowed)
    else if (watch !== undefined) said.textContent = texts.notFound
  }
  // Another person may have signed in in another tab since this page was opened. Then the session's cookie is that of
  // the other account. The script must not store a device of the other account as a device of this account, and must
  // not remove a device of the other account.
  const isSignedIn = async () => {
    const answer = await fetch("/v1/session")
    if (!answer.ok && answer.status !== 401) throw new Error()
    return answer.ok && (await answer.json()).id === account
  }
  // Two tabs that start at once must not add two devices. So a tab looks for the device only after every other tab has
  // stored the device that it adds. In an old browser without locks, two tabs may still add two devices.
  const device = () => (navigator.locks === undefined ? added() : navigator.locks.request(DEVICE, added))
  const added = async () => {
    if (load(DEVICE) !== null) return true
    if (!(await isSignedIn())) {
      said.textContent = texts.signedOut
      return false
    }
    const answer = await fetch("/v1/user/devices", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, format: "browser" })
    })
    if (answer.ok) {
      const { id, token } = await answer.json()
      save(DEVICE, { id, token })
      return true
    }
    // The API's message is in English, so the page shows a text of its own.
    said.textContent =
      answer.status === 401 ? texts.signedOut : answer.status === 409 ? texts.tooManyDevices : texts.cannotBeAdded
    return false
  }

  start.addEventListener("click", async () => {
    start.disabled = true
    try {
      if (await device()) {
        said.textContent = texts.looking
        watch = navigator.geolocation.watchPosition(found, missed, {
          enableHighAccuracy: true,
          maximumAge: 10000,
          timeout: 60000
        })
        flush()
      }
    } catch {
      said.textContent = texts.tryAgain
    }
    start.disabled = false
    show()
    if (document.activeElement === document.body) focus()
  })
  stop.addEventListener("click", () => {
    save(QUEUE, null)
    end(texts.stopped)
  })
  forget.addEventListener("click", async () => {
    const known = load(DEVICE)
    end("")
    try {
      if (await isSignedIn()) {
        const answer = known === null ? null : await fetch("/v1/user/devices/" + known.id, { method: "DELETE" })
        if (answer !== null && !answer.ok && answer.status !== 404) throw new Error()
        save(DEVICE, null)
        save(QUEUE, null)
        said.textContent = texts.forgotten
      } else said.textContent = texts.signedOut
    } catch {
      said.textContent = texts.notRemoved
    }
    show()
  })
  addEventListener("online", flush)
  show()
})()
`
