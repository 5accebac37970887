<!-- Writes a drawing (SVG) anew, for deploy/pictures: what is named here and nothing else, so neither scripts and
     metadata nor addresses outside the drawing. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svg="http://www.w3.org/2000/svg"
    xmlns:str="http://exslt.org/strings" exclude-result-prefixes="svg str">
  <xsl:output omit-xml-declaration="yes"/>

  <xsl:variable name="elements"> svg g defs symbol use switch path rect circle ellipse line polyline polygon text tspan
    textPath style linearGradient radialGradient stop pattern clipPath mask marker filter feBlend feColorMatrix
    feComponentTransfer feFuncR feFuncG feFuncB feFuncA feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
    feDistantLight feDropShadow feFlood feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight
    feSpecularLighting feSpotLight feTile feTurbulence animate animateMotion animateTransform mpath set </xsl:variable>
  <xsl:variable name="attributes"> id class style version viewBox preserveAspectRatio href lang space
    x y width height x1 y1 x2 y2 cx cy r rx ry fx fy fr d points pathLength dx dy rotate textLength lengthAdjust
    startOffset method side spacing offset transform transform-origin gradientUnits gradientTransform spreadMethod
    patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits mask-type markerUnits
    markerWidth markerHeight orient refX refY systemLanguage media
    clip clip-path clip-rule color color-interpolation color-interpolation-filters direction display enable-background
    fill fill-opacity fill-rule filter flood-color flood-opacity image-rendering isolation lighting-color marker
    marker-end marker-mid marker-start mask mix-blend-mode opacity overflow paint-order shape-rendering stop-color
    stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width vector-effect visibility
    alignment-baseline baseline-shift dominant-baseline font font-family font-size font-size-adjust font-stretch
    font-style font-variant font-weight letter-spacing text-anchor text-decoration text-rendering unicode-bidi
    white-space word-spacing writing-mode
    filterUnits primitiveUnits in in2 result type values mode operator k1 k2 k3 k4 stdDeviation edgeMode order
    kernelMatrix divisor bias targetX targetY kernelUnitLength preserveAlpha surfaceScale diffuseConstant
    specularConstant specularExponent azimuth elevation z pointsAtX pointsAtY pointsAtZ limitingConeAngle scale
    xChannelSelector yChannelSelector baseFrequency numOctaves seed stitchTiles radius tableValues slope intercept
    amplitude exponent
    attributeName attributeType begin dur end min max restart repeatCount repeatDur calcMode keyTimes keySplines from
    to by additive accumulate path keyPoints </xsl:variable>

  <xsl:template match="/">
    <xsl:if test="not(svg:svg)"><xsl:message terminate="yes"/></xsl:if>
    <xsl:apply-templates select="svg:svg"/>
  </xsl:template>

  <xsl:template match="*|text()"/>
  <xsl:template match="svg:text//text()" priority="1"><xsl:value-of select="."/></xsl:template>
  <xsl:template match="svg:a"><xsl:apply-templates/></xsl:template>
  <xsl:template match="svg:*">
    <xsl:if test="contains(concat(' ', normalize-space($elements), ' '), concat(' ', local-name(), ' '))">
      <xsl:element name="{local-name()}" namespace="http://www.w3.org/2000/svg">
        <xsl:apply-templates select="@*|node()"/>
      </xsl:element>
    </xsl:if>
  </xsl:template>

  <xsl:template match="svg:image" priority="1">
    <xsl:if test="contains(@href | @*[local-name() = 'href'], 'data:')">
      <xsl:message terminate="yes">drawing: it contains a picture, and a drawing here has none</xsl:message>
    </xsl:if>
  </xsl:template>

  <xsl:template match="@*">
    <xsl:variable name="foreign"><xsl:call-template name="foreign"/></xsl:variable>
    <xsl:variable name="name" select="concat(' ', local-name(), ' ')"/>
    <xsl:if test="$foreign = '' and contains(concat(' ', normalize-space($attributes), ' '), $name)">
      <xsl:choose>
        <xsl:when test="name() = 'xml:space'"><xsl:copy/></xsl:when>
        <xsl:when test="local-name() = 'href'">
          <xsl:if test="starts-with(., '#')">
            <xsl:attribute name="href"><xsl:value-of select="."/></xsl:attribute>
          </xsl:if>
        </xsl:when>
        <xsl:when test="namespace-uri() = ''"><xsl:copy/></xsl:when>
      </xsl:choose>
    </xsl:if>
  </xsl:template>

  <xsl:template match="svg:style" priority="1">
    <xsl:variable name="foreign"><xsl:call-template name="foreign"/></xsl:variable>
    <xsl:if test="$foreign != ''">
      <xsl:message terminate="yes">drawing: its style has a comment, a font of its own or an address</xsl:message>
    </xsl:if>
    <style xmlns="http://www.w3.org/2000/svg"><xsl:value-of select="."/></style>
  </xsl:template>

  <!-- Says "foreign" of a value that may lead out of the drawing. In CSS a backslash can stand for any letter, and a
       comment may say anything. An animation may not set an address. -->
  <xsl:template name="foreign">
    <xsl:variable name="blank">"' &#9;&#10;&#13;</xsl:variable>
    <xsl:variable name="plain" select="translate(translate(., 'ACEFGHILMNOPRSTU', 'acefghilmnoprstu'), $blank, '')"/>
    <xsl:if test="contains(str:replace($plain, 'url(#', ''), 'url(') or contains($plain, '\') or contains($plain, '//')
        or contains($plain, '@import') or contains($plain, '@font-face') or contains($plain, '/*')
        or contains($plain, 'image(') or contains($plain, 'image-set(')
        or contains($plain, 'src(') or $plain = 'href' or $plain = 'xlink:href'">foreign</xsl:if>
  </xsl:template>
</xsl:stylesheet>
