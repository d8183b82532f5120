/**
 * The script of the consent page and of the renewal page: plain JavaScript for browsers. On both pages it ignores a
 * press of Allow or Renew that comes too early (decision consent-15), and a second press (decision consent-6). On the
 * consent page, it also keeps the buttons visible, sums up in words what the user would share, and searches a long list
 * of places. It changes no decision: without the script, the form sends the same fields. Its texts come from
 * `data-texts` of the script's element.
 */
export const consentScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  const decision = document.getElementById("decision")
  const form = decision === null ? null : decision.closest("form")
  if (form === null || form.closest("fieldset[disabled]") !== null) return

  const [CALM, SENT] = [500, 5000]
  const allow = decision.querySelector("[value=allow]")
  // When the page got the focus and was visible; null while another window may lie above the page.
  let focusedAt = null
  let sentAt = null
  let isPressedEarly = false
  const isWithin = (since, ms) => since !== null && performance.now() - since < ms
  const isEarly = () => focusedAt === null || isWithin(focusedAt, CALM)
  const isSent = () => isWithin(sentAt, SENT)
  const mark = () => {
    for (const button of decision.querySelectorAll("button")) {
      if (isSent() || (button === allow && isEarly())) button.setAttribute("aria-disabled", "true")
      else button.removeAttribute("aria-disabled")
    }
  }
  const markIn = (ms) => {
    mark()
    setTimeout(mark, ms + 10)
  }
  const focus = () => {
    focusedAt = document.visibilityState === "hidden" ? null : performance.now()
    markIn(CALM)
  }
  const blur = () => {
    focusedAt = null
    mark()
  }
  const look = () => (document.hasFocus() && document.visibilityState !== "hidden" ? focus() : blur())
  // A browser inside another app may never say that the page has the focus. There, a press anywhere begins the wait.
  const press = () => {
    isPressedEarly = isEarly()
    if (focusedAt === null) focus()
  }
  addEventListener("focus", focus)
  addEventListener("blur", blur)
  document.addEventListener("visibilitychange", look)
  for (const name of ["touchstart", "mousedown"]) addEventListener(name, press, { capture: true, passive: true })
  if (allow !== null) {
    allow.addEventListener("click", (event) => {
      // The keyboard, and most assistive technology, click without a pointer: then the detail is 0.
      if (event.detail > 0 && (isPressedEarly || isEarly())) event.preventDefault()
      isPressedEarly = false
    })
  }
  form.addEventListener("submit", (event) => {
    if (isSent()) return event.preventDefault()
    sentAt = performance.now()
    markIn(SENT)
  })
  // The browser can restore the page when the person comes back to it.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return
    sentAt = null
    look()
  })
  look()
  if (!form.classList.contains("consent")) return

  const summary = form.querySelector("[data-summary]")
  const all = (name) => [...form.querySelectorAll("input[name=" + name + "]")]
  const ticked = (name) => all(name).filter((box) => box.checked)
  const count = (number, one, many) => (number === 1 ? one : many.replace("{count}", number))
  const lengthOf = (name) => {
    const [radio] = ticked(name)
    return radio === undefined ? "" : radio.dataset.length
  }

  const sayWhat = () => {
    const scopes = ticked("scope")
    const exact = scopes.filter((box) => box.closest(".sensitive") !== null)
    // Permissions for exact location, and about areas that the app chooses, tell the app something even when no place
    // is ticked.
    const noPlaces = scopes.every((box) => box.closest(".places") !== null) ? texts.learnsNothing : texts.noPlaces
    const length = lengthOf("standard_days")
    const parts =
      scopes.length === 0
        ? [texts.nothing]
        : [
            count(scopes.length, texts.permission, texts.permissions),
            ...(form.querySelector("#place") === null
              ? []
              : [ticked("place").length === 0 ? noPlaces : count(ticked("place").length, texts.place, texts.places)]),
            ...(ticked("earlier").filter((box) => box.closest(".choice").querySelector("[name=place]").checked).length > 0
              ? [texts.pastVisits]
              : []),
            length,
            ...(exact.length > 0 ? [texts.exactLocation.replace("{length}", lengthOf("sensitive_days"))] : [])
          ]
    const text = parts.join(" · ")
    if (summary.textContent !== text) summary.textContent = text
    fit()
  }
  // In a low window or with large text, a bar that stays in sight would hide what the person agrees to. So the bar
  // stays in sight only while it takes at most a third of the window's height.
  const bar = form.querySelector("[data-bar]")
  const page = document.documentElement
  const fit = () => {
    page.style.setProperty("--bar", bar.offsetHeight + "px")
    if (bar.offsetHeight > innerHeight / 3) page.classList.remove("with-bar")
  }
  const keepInSight = () => {
    page.classList.add("with-bar")
    fit()
  }
  form.addEventListener("change", sayWhat)
  // When a person comes back to the page, the browser restores the ticked boxes only after this script has run. After
  // it has restored the boxes, the browser fires the event pageshow.
  addEventListener("pageshow", sayWhat)
  summary.hidden = false
  sayWhat()
  keepInSight()
  addEventListener("resize", keepInSight)

  const search = form.querySelector("[data-search]")
  if (search === null) return
  const [field, said] = [search.querySelector("input"), search.querySelector("[role=status]")]
  const rows = all("place").map((box) => ({ box, row: box.closest(".choice"), text: box.labels[0].textContent }))
  const plain = (text) => text.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase()
  const find = () => {
    const wanted = plain(field.value.trim())
    // A ticked place stays visible, because nobody should share a place that they cannot see.
    for (const { box, row, text } of rows) row.hidden = !box.checked && !plain(text).includes(wanted)
    const shown = rows.filter(({ row }) => !row.hidden).length
    said.textContent = wanted === "" ? "" : texts.found.replace("{count}", shown).replace("{all}", rows.length)
  }
  const tick = (checked) => () => {
    for (const { box, row } of rows) if (!row.hidden) box.checked = checked
    find()
    sayWhat()
  }
  field.addEventListener("input", find)
  // Without this listener, the Enter key in the search field would press the first button of the form.
  field.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault())
  search.querySelector("[data-all]").addEventListener("click", tick(true))
  search.querySelector("[data-none]").addEventListener("click", tick(false))
  search.hidden = false
})()
`
