/**
 * The script of the pages that set a phone up: plain JavaScript for browsers. It adds a button that copies to each
 * text with `data-copy`, and asks the page of the device until a location has arrived. Without the script people select
 * the texts, and a link asks again. Its own texts come from `data-texts` of its element.
 */
export const deviceScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  // Browsers offer the clipboard on secure pages only.
  for (const text of navigator.clipboard === undefined ? [] : document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "second copy"
    const name = text.dataset.copy
    // The accessible name begins with what is seen, and says which text is meant.
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
  const again = () => {
    const row = EVERY.find(([until]) => Date.now() - begun < until)
    if (row !== undefined) setTimeout(ask, row[1])
  }
  const ask = async () => {
    if (document.hidden) return again()
    try {
      const answer = await fetch(box.dataset.page, { credentials: "same-origin", redirect: "error" })
      if (!answer.ok) return
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      const now = page.getElementById("arrival")
      if (now === null) return
      // Only a change is announced to people who listen to the page.
      if (now.dataset.state !== box.dataset.state) {
        box.dataset.state = now.dataset.state
        box.className = now.className
        box.replaceChildren(...now.childNodes)
      }
      if (now.dataset.state === "sending") return
    } catch {
      // The network is away: the next try may succeed.
    }
    again()
  }
  again()
})()
`
