/**
 * The script of the consent page: plain JavaScript for browsers. The script keeps the buttons visible, sums up in words
 * what the user would share, and searches a long list of places. It changes no decision: without the script, the form
 * sends the same fields. Its texts come from `data-texts` of the script's element.
 */
export const consentScript = `"use strict"
;(() => {
  const texts = JSON.parse(document.currentScript.dataset.texts)
  const form = document.querySelector("form.consent")
  if (form === null || form.closest("fieldset[disabled]") !== null) return
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
