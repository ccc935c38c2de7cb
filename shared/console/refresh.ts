// The only script of the console. When the host reports a change, the script loads the page again and replaces the content. Every page also
// works without the script.

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
