import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/**
 * Sample pictures: one face, as many colours as wanted.
 * `java Foxes.java COUNT FOLDER` draws Renard-1.png and so on.
 */
final class Foxes {

    private static final int SIZE = 80; // pixels: phpBB's default admits at most 90 x 90
    private static final int GRID = 128; // the width and height in which the shapes below are drawn

    private Foxes() {}

    public static void main(String[] arguments) throws IOException {
        int count = Integer.parseInt(arguments[0]);
        Path folder = Path.of(arguments[1]);
        System.setProperty("java.awt.headless", "true");
        Files.createDirectories(folder);
        for (int number = 1; number <= count; number++) {
            // The first is fox red. Three furs of one colour, bright, dark and pale, follow each other around the wheel
            // of colours, so that no two of 21 are alike.
            int colour = (number - 1) / 3;
            float hue = 0.055f + colour / (float) Math.ceil(count / 3.0);
            try (var file = Files.newOutputStream(folder.resolve("Renard-" + number + ".png"))) {
                ImageIO.write(fox(hue, (number - 1) % 3), "png", file);
            }
        }
    }

    private static BufferedImage fox(float hue, int fur) {
        var image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = image.createGraphics();
        pen.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        pen.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        float[] deep = {0.82f, 0.75f, 0.28f};
        float[] light = {0.95f, 0.45f, 0.97f};
        Color coat = Color.getHSBColor(hue, deep[fur], light[fur]);
        Color shade = Color.getHSBColor(hue, deep[fur] + 0.1f, light[fur] * 0.75f);
        Color dark = Color.getHSBColor(hue, 0.55f, 0.20f);
        Color white = new Color(0xfffaf2);
        pen.scale((double) SIZE / GRID, (double) SIZE / GRID);
        pen.setPaint(new GradientPaint(
                0,
                0,
                Color.getHSBColor(hue + 0.5f, 0.10f, 0.99f),
                0,
                GRID,
                Color.getHSBColor(hue + 0.5f, 0.24f, 0.90f)));
        pen.fillRect(0, 0, GRID, GRID);

        both(pen, dark, 20, 10, 60, 42, 24, 68); // ears
        both(pen, coat, 21, 17, 57, 45, 27, 70);
        both(pen, dark, 27, 29, 45, 44, 31, 56);
        mirrored(pen, coat, 64, 34, 30, 34, 22, 60, 6, 84, 34, 88, 64, 118); // head
        mirrored(pen, white, 64, 92, 54, 78, 38, 66, 6, 84, 34, 90, 64, 118); // cheeks
        mirrored(pen, shade, 64, 38, 60, 50, 58, 58, 60, 66, 62, 74, 64, 80); // blaze
        mirrored(pen, white, 64, 78, 60, 84, 56, 92, 56, 100, 58, 112, 64, 118); // muzzle

        for (int side = 0; side < 2; side++) { // eyes
            int x = side == 0 ? 44 : 84;
            pen.setColor(dark);
            pen.fill(new Ellipse2D.Double(x - 5.5, 66, 11, 13));
            pen.setColor(Color.WHITE);
            pen.fill(new Ellipse2D.Double(x - 2.5, 68, 4.5, 4.5));
        }
        pen.setColor(dark); // nose
        pen.fill(new Ellipse2D.Double(56.5, 98, 15, 10.5));
        pen.dispose();
        return image;
    }

    /** A triangle on the left and its mirror image on the right. */
    private static void both(Graphics2D pen, Color colour, double... at) {
        pen.setColor(colour);
        var shape = new Path2D.Double();
        shape.moveTo(at[0], at[1]);
        shape.quadTo((at[0] + at[2]) / 2 + 5, (at[1] + at[3]) / 2 - 5, at[2], at[3]);
        shape.lineTo(at[4], at[5]);
        shape.closePath();
        pen.fill(shape);
        pen.fill(shape.createTransformedShape(mirror()));
    }

    /** Two curves down the left side and their mirror image, closed in the middle. */
    private static void mirrored(Graphics2D pen, Color colour, double... at) {
        pen.setColor(colour);
        var shape = new Path2D.Double();
        shape.moveTo(at[0], at[1]);
        shape.curveTo(at[2], at[3], at[4], at[5], at[6], at[7]);
        shape.quadTo(at[8], at[9], at[10], at[11]);
        shape.closePath();
        pen.fill(shape);
        pen.fill(shape.createTransformedShape(mirror()));
    }

    private static AffineTransform mirror() {
        return new AffineTransform(-1, 0, 0, 1, GRID, 0);
    }
}
