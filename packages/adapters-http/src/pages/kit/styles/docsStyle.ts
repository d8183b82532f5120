/** The styles that only the documentation uses. They are a part of the one stylesheet of all pages. */
export const docsStyle = `
.docs { overflow-wrap: break-word; }
.docs td { min-width: 0; }
.docs h2 { font-size: 1.3rem; margin: 2.75rem 0 0.75rem; }
.docs .card h2 { margin: 0 0 0.5rem; font-size: 1.15rem; }
.docs h3 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
.docs caption.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.docs :is(h2, h3, .operation) { scroll-margin-top: 1rem; }
.docs li { margin-bottom: 0.3rem; }
.docs p, .docs li { max-width: 44rem; }
.docs code { overflow-wrap: anywhere; }
.docs :not(pre) > code { background: var(--accent-soft); border-radius: 4px; padding: 0.05em 0.3em; }
.docs a > code { background: none; padding: 0; }
.docs h2 code, .docs h3 code { background: none; padding: 0; font-size: 0.95em; }
.docs pre {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.85rem 1rem; margin: 0 0 1rem;
  white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.45;
}
.docs :is(td, th) > :last-child { margin-bottom: 0; }
.docs td > ul { margin-bottom: 0; }
.docs td p { margin: 0 0 0.25rem; }
.docs th[scope=row] { color: var(--ink); white-space: normal; font-weight: 500; }
.docs th code { overflow-wrap: break-word; }
.docs table { font-size: 0.9rem; }
@media (min-width: 40rem) { .docs th, .docs td { padding: 0.5rem 0.85rem; } }
.docs dl { margin-bottom: 1rem; }
.docs .title { font-weight: 600; margin: 1.25rem 0 0.4rem; }
.toc { font-size: 0.92rem; margin-bottom: 1.5rem; }
.toc p { color: var(--soft); font-weight: 600; margin-bottom: 0.35rem; }
.toc ul { list-style: none; padding: 0; margin: 0 0 1rem; }
.toc li { margin-bottom: 0.35rem; line-height: 1.35; }
.toc a { text-decoration: none; color: var(--ink); }
.toc a:hover { text-decoration: underline; }
.toc a[aria-current] { font-weight: 600; color: var(--accent); }
.method {
  display: inline-block; font: 600 0.78rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  padding: 0.1rem 0.45rem; border-radius: 5px; background: var(--accent-soft); color: var(--accent); min-width: 3.6rem;
  text-align: center; margin-right: 0.35rem;
}
.method.delete { background: var(--bad-soft); color: var(--bad); }
.method.patch, .method.put { background: var(--warn-soft); color: var(--warn); }
.operation { border-top: 1px solid var(--line); padding-top: 1.5rem; margin-top: 2.5rem; }
.operation h2 { margin: 0 0 0.35rem; font-size: 1.2rem; }
.operation .route { margin-bottom: 0.75rem; overflow-wrap: anywhere; }
.operation .route code { background: none; padding: 0; font-size: 0.95rem; font-weight: 600; }
.operations li {
  display: grid; grid-template-columns: 4.4rem minmax(0, 1fr); gap: 0 0.5rem; align-items: baseline;
  margin-bottom: 0.5rem; max-width: none;
}
.operations li > div { min-width: 0; }
.docs .operations code, .docs .codes code { background: none; padding: 0; color: var(--soft); }
.codes { display: flex; flex-wrap: wrap; gap: 0.35rem 0.9rem; list-style: none; padding: 0; }
.codes li { margin: 0; }
:target { outline: 2px solid var(--accent); outline-offset: 6px; border-radius: 4px; }
.docs-search { margin-bottom: 1.25rem; }
.docs-search label { font-weight: 600; }
.docs-search input { width: 100%; margin: 0.25rem 0 0.5rem; }
.docs-search .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.docs-search .found { margin: 0.75rem 0 0; }
.docs-search .found:empty { display: none; }
.code { position: relative; }
.docs pre { tab-size: 4; }
.copy-code {
  position: absolute; top: 0.4rem; right: 0.4rem; font-size: 0.8rem; padding: 0.15rem 0.55rem; min-height: 0;
  background: var(--card); color: var(--ink); border: 1px solid var(--line); border-radius: 6px;
}
.languages [role=tablist] { display: flex; flex-wrap: wrap; gap: 0.25rem; margin-bottom: 0.5rem; }
.languages [role=tab] {
  background: var(--card); color: var(--ink); border: 1px solid var(--line); border-radius: 6px; min-height: 0;
  padding: 0.25rem 0.7rem; font-size: 0.9rem;
}
.languages [role=tab][aria-selected=true] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.sequence { margin: 1rem 0 1.5rem; }
.sequence svg { width: 100%; height: auto; max-width: 60rem; font-size: 13px; }
.sequence text { fill: var(--ink); }
.sequence rect { fill: var(--accent-soft); stroke: var(--line); }
.sequence .life { stroke: var(--line); }
.sequence .arrow { stroke: var(--accent); fill: none; stroke-width: 1.5; }
.sequence .answer { stroke-dasharray: 5 4; }
.sequence .tip { fill: var(--accent); }
@media (min-width: 60rem) {
  .docs { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 0 2.75rem; }
  .docs > .toc {
    position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto;
    margin-top: 0.35rem;
  }
}
@media (max-width: 60rem) {
  .docs > .toc > .beside { display: none; }
  .docs > .toc {
    border: 1px solid var(--line); border-radius: 12px; padding: 0.9rem 1.1rem 0.2rem; background: var(--card);
  }
}
`
