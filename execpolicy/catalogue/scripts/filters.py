"""Graphs of ffmpeg's filters (ffmpeg-filters(1)): those that only compute on sound and pictures.

Every filter must be one that has no option for a file, a library or an address. In quotes and
behind backslashes a name could hide, and `/option=path` takes a value out of a file.
"""

from execpolicy.catalogue.scripts.effect import Effect, listed

_KNOWN = listed(
    "acompressor acrossfade adelay aecho aeval afade afftdn aformat agate alimiter allpass aloop "
    "amerge amix anull apad aphaser aresample areverse asetnsamples asetpts asetrate asettb "
    "ashowinfo asplit astats atempo atrim bass bandpass bandreject bench biquad blackdetect "
    "blackframe blend boxblur bwdif channelmap channelsplit chorus chromakey colorbalance "
    "colorchannelmixer colorkey colorlevels colorspace colortemperature compand compensationdelay "
    "concat copy crop cropdetect curves datascope dcshift decimate deband deblock deesser "
    "deflicker dejudder delogo despill detelecine drawbox drawgrid dynaudnorm earwax ebur128 "
    "edgedetect eq equalizer exposure extractplanes extrastereo fade field fieldhint fieldmatch "
    "fieldorder fillborders flanger format fps framepack framerate framestep freezedetect "
    "freezeframes fspp gblur geq gradfun haas hflip highpass highshelf histeq histogram hqdn3d "
    "hqx hstack hue hysteresis idet interlace interleave join kerndeint lagfun limiter loop "
    "lowpass lowshelf lumakey lut lutrgb lutyuv maskedmerge mcdeint mergeplanes mestimate "
    "minterpolate mix mpdecimate negate nlmeans noformat noise normalize null overlay owdenoise "
    "pad palettegen paletteuse pan photosensitivity pixscope pp7 pseudocolor pullup random "
    "readeia608 realtime repeatfields replaygain reverse rgbashift rotate sab scale scale2ref "
    "selectivecolor separatefields setdar setfield setparams setpts setrange setsar settb shear "
    "showcqt showfreqs showinfo showpalette showspatial showspectrum showspectrumpic showvolume "
    "showwaves showwavespic shuffleframes shuffleplanes sidechaingate signalstats silencedetect "
    "silenceremove smartblur split spp stereo3d stereotools stereowiden superequalizer surround "
    "swaprect swapuv tblend telecine thumbnail tile tinterlace tmix tonemap tpad transpose treble "
    "tremolo trim unsharp untile v360 vaguedenoiser vectorscope vflip vfrdet vibrance vibrato "
    "vignette volume volumedetect vstack w3fdif waveform weave xbr xfade xstack yadif zoompan "
    "zscale"
)
_BARE = frozenset(("psnr", "ssim"))
"""Filters whose only options name a file for numbers."""


def effects(text: str) -> list[Effect]:
    """What the graph does beyond computing."""
    for name, options in _filters(text):
        if name not in _KNOWN and (name not in _BARE or options):
            return [("execute", f"what the filter `{name}` opens is not known", None)]
    if set("\\'") & set(text) or "=/" in text or ":/" in text:
        return [("execute", "a name may stand behind a sign that hides it", None)]
    return []


def _filters(text: str) -> list[tuple[str, str]]:
    """The name and the options of each filter, without the labels of what comes in and goes out."""
    found = []
    for part in text.replace(";", ",").split(","):
        part = part.strip()
        while part.startswith("[") and "]" in part:
            part = part.partition("]")[2].strip()
        part = part.partition("[")[0].strip()
        name, _, options = part.partition("=")
        found.append((name.strip().partition("@")[0], options))
    return found
