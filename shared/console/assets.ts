// The files that pages of the console load: the style sheet (one typeface of the system, colours only for states, no motion if the user's
// system prefers reduced motion), and the only script. Every page also works without the script, which replaces the content after a change.
export const styleSheet = `
:root { color-scheme: light dark; --ground: #fbfaf7; --card: #fff; --ink: #1d2521; --quiet: #5c665f; --line: #e3e2da; --leaf: #22693f;
 --failed: #b3261e; --waiting: #8a5a00; --ready: #22693f; --rest: #5a6470; --failed-soft: #fbeceb; --waiting-soft: #fbf3e1; --ready-soft: #eaf4ed; --rest-soft: #eff0f1 }
@media (prefers-color-scheme: dark) { :root { --ground: #141816; --card: #1b211e; --ink: #e7ebe8; --quiet: #a3ada7; --line: #2f3733; --leaf: #7fcf9c;
 --failed: #ff9a91; --waiting: #eebf62; --ready: #7fcf9c; --rest: #b0b9c2; --failed-soft: #38211f; --waiting-soft: #352c19; --ready-soft: #1e3026; --rest-soft: #272d2b } }
* { box-sizing: border-box }
html { font: 16px/1.55 system-ui, sans-serif; background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column }
main { flex: 1; width: 100%; max-width: 70rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; outline: none }
a { color: inherit; text-decoration-color: var(--line); text-underline-offset: .2em }
a:hover { text-decoration-color: currentColor }
:focus-visible { outline: 3px solid var(--leaf); outline-offset: 2px; border-radius: 4px }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 1.5rem; font-weight: 650; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 0 0 1rem; font-weight: 650 } h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; font-weight: 600 }
.later { list-style: decimal; padding-left: 1.75rem } .later li { padding: .15rem 0; overflow-wrap: anywhere }
section { margin-top: 3rem }
p { margin: .35rem 0; overflow-wrap: anywhere }
ul, ol { list-style: none; margin: 0; padding: 0 }
code, pre, .writer { font-family: ui-monospace, monospace; font-size: .875em; overflow-wrap: anywhere }
pre { margin: .5rem 0; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; white-space: pre-wrap }
.copy code { user-select: all }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1 }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 2rem; padding: .8rem 1.5rem; border-bottom: 1px solid var(--line); background: var(--card) }
.brand { display: flex; align-items: center; gap: .5rem; font-weight: 650; text-decoration: none; letter-spacing: -.01em }
.bar nav { display: flex; gap: 1.25rem } .bar nav a, .who a { text-decoration: none; color: var(--quiet); padding: .25rem 0 } .bar nav a:hover, .who a:hover { color: var(--ink) }
.bar nav a[aria-current] { color: var(--ink); box-shadow: 0 2px 0 var(--leaf) }
.who { margin-left: auto; display: flex; gap: 1rem; color: var(--quiet); font-size: .875rem; align-items: center; min-width: 0 }
.who span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 16rem }
footer { display: flex; justify-content: space-between; gap: 1rem; padding: 1rem 1.5rem; color: var(--quiet); font-size: .85rem; border-top: 1px solid var(--line) }
.quiet, .since, .word { color: var(--quiet); font-size: .875rem } .kind { color: var(--quiet); font-weight: 400 }
.object { overflow-wrap: anywhere } a.object { font-weight: 550; text-decoration: none } a.object:hover { text-decoration: underline }
.note { padding: .6rem 1rem; background: var(--rest-soft); border-radius: 8px; font-size: .9rem } .empty { color: var(--quiet) }
.mark { flex: none; width: 1rem; height: 1rem; fill: currentColor; stroke: none; vertical-align: -.15em; margin-right: .4rem }
.mark .cut { fill: none; stroke: var(--card); stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round } .mark .ring { fill: none; stroke: currentColor; stroke-width: 1.8 }
.mark .dashed { stroke-dasharray: 3 2.5 } .mark .line { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round }
.mark.failed, .state.failed, .tile.failed .word { color: var(--failed) } .mark.waiting, .mark.deleting, .state.waiting, .state.deleting, .tile.waiting .word { color: var(--waiting) }
.mark.ready, .state.ready, .tile.ready .word { color: var(--ready) } .mark.suspended, .mark.missing, .mark.unknown, .mark.plain, .state.suspended, .state.missing, .state.unknown, .tile.suspended .word { color: var(--rest) }
.state { font-weight: 600; white-space: nowrap; font-size: .9rem }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1rem }
.tile { display: flex; flex-direction: column; gap: .25rem; padding: 1.1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; text-decoration: none; height: 100% }
.tile:hover, .tile[aria-current] { border-color: currentColor } .tile[aria-current] { box-shadow: inset 0 0 0 1px currentColor }
.count { font-size: 2.2rem; line-height: 1.1; font-weight: 650; letter-spacing: -.03em; font-variant-numeric: tabular-nums } .tile.none .count, .tile.none .word { color: var(--quiet) } .tile.none .mark { color: var(--quiet) }
.filter { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; margin: 2rem 0 1rem; font-size: .875rem } .filter label { color: var(--quiet); min-width: 0 } .grow { flex: 1 1 12rem }
input, select, button, .button { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--quiet); border-radius: 8px; padding: .45rem .75rem; min-height: 2.5rem; max-width: 100% }
.filter select, .filter input { display: block; width: 100% } button, .button { cursor: pointer; font-weight: 550; display: inline-block; text-decoration: none } button:hover, .button:hover { border-color: var(--ink) }
.filter > a { padding: .5rem 0 }
.rows { background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden }
.row { display: grid; grid-template-columns: 9rem 1fr auto; gap: .1rem 1rem; padding: .85rem 1.25rem; align-items: baseline } .row + .row { border-top: 1px solid var(--line) }
.row .says { grid-column: 2 / -1; color: var(--quiet); font-size: .925rem; margin: 0 } .row .says a { font-weight: 500; color: var(--ink) }
.since { font-variant-numeric: tabular-nums; white-space: nowrap }
.pages { display: flex; justify-content: space-between; gap: 1rem; margin-top: 1.25rem; font-size: .9rem; color: var(--quiet) }
.crumbs { color: var(--quiet); font-size: .9rem; margin-bottom: 1rem } .head h1 { margin-bottom: .5rem } .lead { color: var(--quiet); margin-bottom: .75rem } .lead .state { font-size: 1.05rem; margin-right: .3rem } .sentence { max-width: 48rem; font-size: 1.05rem } .button { margin-top: .75rem }
.chain .link { display: flex; gap: .2rem; padding: .5rem 0; position: relative } .link > div { min-width: 0; flex: 1 } .link > .mark { margin-top: .3rem; background: var(--ground); position: relative; z-index: 1 }
.link.parent::before { content: ''; position: absolute; left: .45rem; top: 1.8rem; bottom: 0; border-left: 2px solid var(--line) } .link .chain { margin-top: .3rem } .link p { margin: 0 } .says { max-width: 52rem }
.trunk { position: relative; padding-left: 1.75rem } .trunk::before { content: ''; position: absolute; left: .45rem; top: .75rem; bottom: .75rem; border-left: 3px solid var(--line) }
.tier { position: relative; margin-bottom: 1rem } .tier::before { content: ''; position: absolute; left: -1.15rem; top: 1.5rem; width: 1.15rem; border-top: 3px solid var(--line) }
.tier > details { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .8rem 1.1rem } .tier.current > details { border-color: var(--waiting); box-shadow: inset 4px 0 0 var(--waiting) } .tier.blocked > details { background: none; border-style: dashed }
.tier.ready::before { border-color: var(--ready) } .tier.current::before { border-color: var(--waiting) }
summary { cursor: pointer; padding: .15rem 0 } .wave { font-weight: 650; margin-right: .5rem } summary .quiet { margin-left: .5rem }
.fruits { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: .6rem 1.5rem; margin-top: .8rem } .fruit { display: flex; min-width: 0 } .fruit > .mark { margin-top: .25rem } .fruit > span { min-width: 0 } .fruit .quiet { display: block; overflow-wrap: anywhere }
.conditions li, .events li { display: flex; padding: .7rem 0 } .conditions li + li, .events li + li { border-top: 1px solid var(--line) } .conditions .mark, .events .mark { margin-top: .3rem } .conditions li > div, .events li > div { min-width: 0 } .conditions p, .events p { margin: 0 }
.columns { display: grid; grid-template-columns: minmax(0, 1.8fr) minmax(0, 1fr); gap: 0 3.5rem } .columns > div > section { margin-top: 2.5rem }
.graph, .scroll { overflow-x: auto; margin: 0 0 1rem } .graph svg { display: block; max-width: none; margin: 0 auto }
.edge { fill: none; stroke: var(--line); stroke-width: 2 } .edge.ready { stroke: var(--ready) } .node rect { fill: var(--card); stroke: var(--line); stroke-width: 1.5 } .node text { fill: var(--ink); font: 600 14px system-ui, sans-serif } .node .small { font-weight: 400; font-size: 12px; fill: var(--quiet) }
.node.ready rect { stroke: var(--ready); fill: var(--ready-soft) } .node.open rect { stroke: var(--waiting); stroke-width: 2.5; fill: var(--waiting-soft) } .node.blocked rect, .node.skipped rect { stroke-dasharray: 5 4; fill: var(--ground) } .node.ready .small { fill: var(--ready) } .node.open .small { fill: var(--waiting) }
.steps li { padding: .3rem 0 } table { border-collapse: collapse; width: 100%; font-size: .925rem; font-variant-numeric: tabular-nums } th, td { text-align: left; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); white-space: nowrap } thead th { color: var(--quiet); font-weight: 500 } tbody th { font-weight: 500 }
.step { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .8rem 1.1rem; margin-bottom: .75rem } .step p { margin: 0 } .sign { font-weight: 600; white-space: nowrap; margin-right: .4rem } .create .sign, .after .sign { color: var(--ready) } .delete .sign, .fail .sign, .before .sign { color: var(--failed) } .change > p .sign { color: var(--waiting) }
.diff { margin: .6rem 0 0 } .diff > div { padding: .35rem 0 } .diff dd { margin: 0; padding: .15rem .5rem; overflow-wrap: anywhere } .before { background: var(--failed-soft) } .after { background: var(--ready-soft) }
.narrow { max-width: 34rem; margin: 8vh auto 0 } .login { display: grid; gap: .5rem; margin: 1.5rem 0 } .login button { justify-self: start; margin-top: .5rem; background: var(--leaf); border-color: var(--leaf); color: var(--card) }
@media (max-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr) } }
@media (max-width: 46rem) { main { padding: 1.25rem 1rem 3rem } .tiles { grid-template-columns: repeat(2, 1fr); gap: .6rem } .tile { padding: .8rem .9rem } .bar { padding: .6rem 1rem; gap: .3rem .9rem } .bar nav { gap: .9rem } .who { margin-left: 0 } .who span { max-width: 10rem }
 .row { grid-template-columns: 1fr auto; padding: .85rem 1rem } .row .what { grid-column: 1 / -1; grid-row: 2 } .row .says { grid-column: 1 / -1 } h1 { font-size: 1.5rem } .trunk { padding-left: 1.1rem } .tier::before { left: -.65rem; width: .65rem } }
@media (prefers-reduced-motion: no-preference) { .tier.current .mark.waiting, .row .mark.waiting { animation: breathe 2.4s ease-in-out infinite } @keyframes breathe { 50% { opacity: .45 } } }
@media (forced-colors: active) { .mark .cut { stroke: Canvas } }
`

export const refreshScript = `'use strict'
const main = document.getElementById('main')
const note = document.getElementById('live')
let wanted = false, busy = false, last = 0, timer

const say = text => { if (note && note.textContent !== text) note.textContent = text }

const load = async () => {
  if (busy || document.hidden) { wanted = true; return }
  const pause = last + 2000 - Date.now()
  if (pause > 0) { clearTimeout(timer); timer = setTimeout(load, pause); return }
  last = Date.now()
  busy = true
  wanted = false
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (answer.status === 401) return location.reload()
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = page.getElementById('main')
    if (!fresh) return
    const form = main.contains(document.activeElement) && document.activeElement.form
    if (form) { wanted = true; return }
    for (const box of main.querySelectorAll('details[id]')) {
      const same = fresh.querySelector('#' + CSS.escape(box.id))
      if (same && box.dataset.touched) { same.open = box.open; same.dataset.touched = 'yes' }
    }
    const at = document.activeElement && document.activeElement.getAttribute('href')
    const top = scrollY
    main.replaceChildren(...fresh.childNodes)
    document.title = page.title
    if (at) { const same = main.querySelector('a[href="' + CSS.escape(at) + '"]'); if (same) same.focus({ preventScroll: true }) }
    scrollTo(scrollX, top)
  } finally {
    busy = false
    if (wanted) setTimeout(load, 500)
  }
}

main.addEventListener('click', event => {
  const box = event.target.closest && event.target.closest('summary')
  if (box) box.parentElement.dataset.touched = 'yes'
})
document.addEventListener('visibilitychange', () => { if (!document.hidden && wanted) load() })
main.addEventListener('focusout', () => { if (wanted) setTimeout(load, 500) })

const source = new EventSource(document.body.dataset.live)
source.onopen = () => say('Live: changes show by themselves.')
source.onerror = () => say('Not live now. Reload to see what is new.')
source.onmessage = load
`
