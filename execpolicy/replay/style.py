"""How a report looks: light and dark, from a phone's width to a wide screen's."""

CSS = """\
:root{--paper:#faf9f5;--card:#fff;--ink:#1d1f21;--soft:#6a6d70;--line:#e4e2da;--passed:#5aa08f;
--asked:#d98e32;--forbidden:#c2453d;--area:#d98e3226;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--paper:#141517;--card:#1c1e21;--ink:#eceae4;--soft:#9a9da1;
--line:#2d3034;--passed:#56a893;--asked:#e0a14f;--forbidden:#e0655c;--area:#e0a14f2b}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1180px;margin:0 auto;padding:clamp(20px,4vw,56px) clamp(16px,4vw,40px) 64px}
p{margin:0}code{font:.92em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.eyebrow{color:var(--soft);font-size:.86rem}
h1{margin:.2em 0 .25em;font-size:clamp(1.9rem,5.4vw,3.3rem);line-height:1.08;font-weight:600;
letter-spacing:-.02em;text-wrap:balance}h1 b{color:var(--passed);font-weight:inherit}
.lead{color:var(--soft);max-width:64ch;margin-bottom:26px;overflow-wrap:anywhere}
svg{display:block;width:100%}.strip{height:18px;border-radius:9px;overflow:hidden}
.columns,.curve{height:150px;border-bottom:1px solid var(--line)}.bar{height:7px}
.passed{fill:var(--passed)}.asked{fill:var(--asked)}.forbidden{fill:var(--forbidden)}
line.grid{stroke:var(--line);vector-effect:non-scaling-stroke}
.line{fill:none;stroke:var(--asked);stroke-width:2.5;vector-effect:non-scaling-stroke}
.area{fill:var(--area)}
.key{display:flex;flex-wrap:wrap;gap:4px 20px;margin:10px 0 0;font-size:.86rem;color:var(--soft)}
.key span::before{content:"";display:inline-block;width:.7em;height:.7em;border-radius:3px;
margin-right:.5em;background:var(--passed)}
.key .asked::before{background:var(--asked)}.key .forbidden::before{background:var(--forbidden)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(132px,1fr));gap:18px 28px;
margin:30px 0 36px}
dd{margin:0;font-size:1.7rem;line-height:1.2;font-weight:600;font-variant-numeric:tabular-nums}
dt{color:var(--soft);font-size:.86rem;line-height:1.35}dl div{display:flex;flex-direction:column}
div.grid{columns:2 400px;column-gap:18px}div.grid section{break-inside:avoid;margin-bottom:18px}
section{background:var(--card);border:1px solid var(--line);border-radius:14px;
padding:clamp(16px,2.4vw,26px);min-width:0}.wide{column-span:all}
section>p{color:var(--soft);font-size:.92rem;margin-bottom:16px}
h2{margin:0 0 2px;font-size:1.1rem;font-weight:600;letter-spacing:-.005em}
.top,.axis{font-size:.8rem;color:var(--soft);font-variant-numeric:tabular-nums}
section>.top{margin-bottom:4px;font-size:.8rem}
section>.axis{display:flex;justify-content:space-between;margin:6px 0 0;font-size:.8rem}
ul,ol{margin:0;padding:0;list-style:none}
.bars li{display:grid;grid-template-columns:1fr auto;gap:3px 14px;padding:7px 0}
.bars .name{min-width:0;overflow-wrap:anywhere}
.count{font-variant-numeric:tabular-nums;white-space:nowrap;font-weight:600}
.count small{font-weight:400;color:var(--soft);margin-left:.7em}
.bars svg,.example{grid-column:1/-1}.bar{background:var(--line);border-radius:4px;overflow:hidden}
.example{font:.76rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft);
white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.more{color:var(--soft);font-size:.86rem;margin-top:10px}
.rules{counter-reset:n;margin-top:18px}
.rules li{counter-increment:n;display:flex;gap:12px;padding:7px 0;border-top:1px solid var(--line);
font-size:.9rem}.rules li::before{content:counter(n);color:var(--soft);min-width:1.2em}
.rules span{flex:1;min-width:0;overflow-wrap:anywhere}
.rules em{font-style:normal;font-weight:600;font-variant-numeric:tabular-nums}
.alarm{border-color:var(--forbidden);margin-bottom:18px}.alarm h2{color:var(--forbidden)}
.alarm li{padding:5px 0;overflow-wrap:anywhere}
"""
