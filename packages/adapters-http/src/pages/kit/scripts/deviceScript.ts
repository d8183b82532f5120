/**
 * The script of the page that sets a phone up and of the page of one phone: plain JavaScript for browsers. The script
 * adds a copy button to each text with `data-copy`. For at most half an hour it also polls the device's page, until a
 * location has arrived, the session has ended or the device is gone. Without the script, people select the texts by
 * hand, and load the page again with a link. The script's own texts come from `data-texts` of its element.
 */
export const deviceScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  // Browsers offer the clipboard only on secure pages (https or localhost). On other pages there are no copy buttons.
  for (const text of navigator.clipboard === undefined ? [] : document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "second copy"
    const name = text.dataset.copy
    // The accessible name begins with the visible words, and says which text the button copies.
    const say = (words, named) => {
      button.textContent = words
      button.setAttribute("aria-label", named.replace("{name}", () => name))
    }
    const begin = () => say(texts.copy, texts.copyNamed)
    begin()
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent)
        say(texts.copied, texts.copiedNamed)
      } catch {
        say(texts.byHand, texts.byHandNamed)
      }
      setTimeout(begin, 3000)
    })
    text.after(button)
  }

  const box = document.getElementById("arrival")
  if (box === null || box.dataset.state === "sending") return
  const begun = Date.now()
  const EVERY = [
    [5 * 60000, 3000],
    [30 * 60000, 15000]
  ]
  const MOST_MS = 300000
  const again = (leastMs = 0) => {
    const row = EVERY.find(([until]) => Date.now() - begun < until)
    if (row !== undefined) setTimeout(ask, Math.max(row[1], Math.min(leastMs, MOST_MS)))
  }
  const end = (...words) => {
    box.className = "arrival note warn"
    box.replaceChildren(...words)
  }
  const ask = async () => {
    if (document.hidden) return again()
    try {
      const answer = await fetch(box.dataset.page, { credentials: "same-origin", redirect: "manual" })
      // The service redirects to the sign-in. The session has ended, so no later attempt can succeed in this page.
      if (answer.type === "opaqueredirect") {
        const link = document.createElement("a")
        link.href = box.dataset.page
        link.textContent = texts.signIn
        return end(texts.signedOut + " ", link)
      }
      // The device was removed, or the browser has the session of another account.
      if (answer.status === 404) return end(texts.gone)
      if (!answer.ok) return again(Number(answer.headers.get("retry-after")) * 1000 || 0)
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      const now = page.getElementById("arrival")
      if (now === null) return
      // A screen reader announces every replacement of the box, so the script does not replace a box by an equal box.
      // The script compares the texts of the boxes and not their states, because only the text names the reason for a
      // quarantine.
      if (now.textContent !== box.textContent) {
        box.dataset.state = now.dataset.state
        box.className = now.className
        box.replaceChildren(...now.childNodes)
      }
      if (now.dataset.state === "sending") return
    } catch {
      // There is no network at the moment: the next attempt may succeed.
    }
    again()
  }
  again()
})()
`
