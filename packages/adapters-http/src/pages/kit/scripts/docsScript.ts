/**
 * The script of the documentation: plain JavaScript for browsers. The script makes tabs of examples in several
 * languages, and adds a copy button to each block of code. While somebody types in the search form, it searches the
 * index at the form's `data-index`. Without the script, the page shows the examples one after the other, and the server
 * searches. `rank`: the source text of the function `rank`, with which the server searches too.
 */
export const docsScript = (rank: string): string => `"use strict"
;(() => {
  const rank = ${rank}
  const KEPT = "docs-language"
  const kept = () => {
    try {
      return localStorage.getItem(KEPT)
    } catch {
      return null
    }
  }

  const groups = []
  for (const [number, group] of document.querySelectorAll(".languages").entries()) {
    const parts = [...group.children]
    const list = document.createElement("div")
    list.setAttribute("role", "tablist")
    list.setAttribute("aria-label", group.dataset.label)
    const tabs = parts.map((part, index) => {
      const heading = part.querySelector(".title")
      const tab = document.createElement("button")
      tab.type = "button"
      tab.setAttribute("role", "tab")
      tab.textContent = heading.textContent
      tab.id = "tab-" + number + "-" + index
      if (part.id === "") part.id = "part-" + number + "-" + index
      tab.setAttribute("aria-controls", part.id)
      part.setAttribute("role", "tabpanel")
      part.setAttribute("aria-labelledby", tab.id)
      heading.hidden = true
      list.append(tab)
      return tab
    })
    const choose = (index) => {
      for (const [at, tab] of tabs.entries()) {
        tab.setAttribute("aria-selected", String(at === index))
        tab.tabIndex = at === index ? 0 : -1
        parts[at].hidden = at !== index
      }
    }
    const chooseName = (name) => {
      const index = tabs.findIndex((tab) => tab.textContent === name)
      if (index >= 0) choose(index)
    }
    const chooseEverywhere = (index) => {
      choose(index)
      const name = tabs[index].textContent
      for (const other of groups) if (other.chooseName !== chooseName) other.chooseName(name)
      try {
        localStorage.setItem(KEPT, name)
      } catch {
        // The browser refuses to store the choice. The next page then shows the first language.
      }
    }
    for (const [index, tab] of tabs.entries()) {
      tab.addEventListener("click", () => chooseEverywhere(index))
      tab.addEventListener("keydown", ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
        if (step === undefined) return
        const next = (index + step + tabs.length) % tabs.length
        chooseEverywhere(next)
        tabs[next].focus()
      })
    }
    group.prepend(list)
    choose(0)
    groups.push({ chooseName, parts, choose })
  }
  for (const { chooseName } of groups) chooseName(kept())
  /**
   * The id that the fragment of the address names. A fragment that cannot be decoded, for example because it contains a
   * single percent sign, is used as it is.
   */
  const named = () => {
    const text = location.hash.slice(1)
    try {
      return decodeURIComponent(text)
    } catch {
      return text
    }
  }
  const follow = () => {
    const id = named()
    for (const { choose, parts } of groups) {
      const index = parts.findIndex((part) => part.id === id)
      if (index < 0) continue
      choose(index)
      parts[index].scrollIntoView()
    }
  }
  follow()
  addEventListener("hashchange", follow)

  // Browsers offer the clipboard only on secure pages (https or localhost). On other pages there are no copy buttons.
  for (const block of navigator.clipboard === undefined ? [] : document.querySelectorAll(".docs pre")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy-code"
    button.textContent = "Copy"
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent)
        button.textContent = "Copied"
      } catch {
        button.textContent = "Select and copy"
      }
      setTimeout(() => {
        button.textContent = "Copy"
      }, 3000)
    })
    const frame = document.createElement("div")
    frame.className = "code"
    block.replaceWith(frame)
    frame.append(button, block)
  }

  const form = document.querySelector("form.docs-search")
  if (form === null) return
  const field = form.querySelector("input")
  const found = document.createElement("ul")
  found.className = "found"
  const said = document.createElement("p")
  said.className = "hidden"
  said.setAttribute("role", "status")
  form.append(said, found)
  let index
  const load = async () => {
    const answer = await fetch(form.dataset.index, { credentials: "same-origin" })
    return answer.ok ? answer.json() : undefined
  }
  /**
   * The index of the documentation, which is downloaded once. Undefined when the download failed: the next key press
   * then starts another download, and Enter sends the form to the server.
   */
  const entries = async () => {
    index ??= load().catch(() => undefined)
    const loaded = await index
    if (loaded === undefined) index = undefined
    return loaded
  }
  field.addEventListener("focus", () => void entries(), { once: true })
  field.addEventListener("input", async () => {
    const question = field.value
    const loaded = await entries()
    if (loaded === undefined || field.value !== question) return
    const best = rank(loaded, question, 8)
    found.replaceChildren(
      ...best.map(({ heading, page, to }) => {
        const item = document.createElement("li")
        const link = document.createElement("a")
        link.href = to
        link.textContent = heading
        const where = document.createElement("span")
        where.className = "soft small"
        where.textContent = " " + page
        item.append(link, where)
        return item
      })
    )
    said.textContent = question.trim() === "" ? "" : best.length + " found"
  })
  form.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") found.replaceChildren()
  })
})()
`
