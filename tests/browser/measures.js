// Measures of what we show on the page, as `window.measures`: each gives what is wrong, in words.
() => {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
        pixel.clearRect(0, 0, 1, 1);
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (front, back, part = 1) => {
        const a = front[3] * part;
        return [0, 1, 2].map((i) => front[i] * a + back[i] * (1 - a)).concat(1);
    };
    const light = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map((c) => {
            const v = c / 255;
            return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const ratio = (a, b) => {
        const [x, y] = [light(a), light(b)].sort((m, n) => n - m);
        return (x + 0.05) / (y + 0.05);
    };
    /** The colours of an element's text and of what is behind it. */
    const colours = (element) => {
        const parts = [];
        for (let one = element; one; one = one.parentElement) parts.unshift(one);
        let [front, back] = [null, rgba(LiteGraph.NODE_DEFAULT_BGCOLOR)];
        let opaque = 1;
        for (const one of parts) {
            const style = getComputedStyle(one);
            opaque *= Number(style.opacity);
            back = over(rgba(style.backgroundColor), back, opaque);
            if (one === element) front = over(rgba(style.color), back, opaque);
        }
        return [front, back];
    };
    // asked anew by each measure: what is drawn again is another element
    const ours = () => [...document.querySelectorAll(".personalq, .personalq *")];
    const seen = () => ours().filter((one) => one.checkVisibility(
        { visibilityProperty: true, opacityProperty: true }) && one.getBoundingClientRect().width > 1);
    const name = (one) => `${one.tagName.toLowerCase()}.${one.className} “${one.textContent.slice(0, 40)}”`;
    const own = (one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    window.measures = {
        faint: () => seen().filter((one) => own(one) && !one.closest("option, :disabled")).flatMap((one) => {
            const { fontSize, fontWeight } = getComputedStyle(one);
            const size = parseFloat(fontSize);
            const least = size >= 24 || (size >= 18.66 && fontWeight >= 700) ? 3 : 4.5;
            const found = ratio(...colours(one));
            return found < least ? [`${found.toFixed(2)} ${name(one)}`] : [];
        }),
        texts: () => seen().filter(own).length,
        controls: () => seen().filter((one) => one.matches(
            "button, input, select, textarea, summary, a[href], [tabindex='0']") && !one.disabled),
        nameless: () => measures.controls().filter((one) => !(one.ariaLabel || one.innerText?.trim()
            || one.title || [...(one.labels ?? [])].some((label) => label.innerText.trim()))).map(name),
        unreachable: () => measures.controls().filter((one) => one.tabIndex < 0
            && !one.closest(".personalq-tiles")).map(name) /* there the arrow keys lead from one to the next */,
        unmarked: () => measures.controls().flatMap((one) => {
            one.focus({ preventScroll: true });
            if (document.activeElement !== one) return [`no focus: ${name(one)}`];
            const { outlineStyle, outlineWidth } = getComputedStyle(one);
            return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 ? [] : [name(one)];
        }),
        moving: () => ours().filter((one) => {
            const { animationName, transitionDuration } = getComputedStyle(one);
            return animationName !== "none" || transitionDuration.split(",").some((part) => parseFloat(part));
        }).map(name),
    };
}
