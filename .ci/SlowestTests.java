import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Prints the ten slowest test classes of the build, from the reports that Surefire has written. */
final class SlowestTests {

  private static final int SHOWN = 10;

  private SlowestTests() {}

  /**
   * @param name the class, with its module in parentheses
   */
  private record TestClass(double seconds, String name) {}

  /**
   * @param args the folder of the project
   */
  public static void main(String[] args) throws IOException, XMLStreamException {
    Path project = Path.of(args[0]).toRealPath();
    List<TestClass> classes = new ArrayList<>();
    for (Path report : reports(project)) {
      classes.add(read(project, report));
    }
    classes.sort(Comparator.comparingDouble(TestClass::seconds).reversed());
    double sum = classes.stream().mapToDouble(TestClass::seconds).sum();
    System.out.printf(
        Locale.ROOT,
        "Slowest of %d test classes, which took %.0f s in total:%n",
        classes.size(),
        sum);
    classes.stream()
        .limit(SHOWN)
        .forEach(one -> System.out.printf(Locale.ROOT, "%7.1f s  %s%n", one.seconds(), one.name()));
  }

  /**
   * Returns the reports of top-level classes. Their times include those of nested classes, whose
   * reports have a dollar sign in their names and are skipped.
   */
  private static List<Path> reports(Path project) throws IOException {
    try (Stream<Path> files = Files.find(project, 5, (file, is) -> is.isRegularFile())) {
      return files
          .filter(file -> file.getParent().getFileName().toString().startsWith("surefire-reports"))
          .filter(file -> file.getFileName().toString().matches("TEST-[^$]+\\.xml"))
          .toList();
    }
  }

  private static TestClass read(Path project, Path report) throws IOException, XMLStreamException {
    try (InputStream in = Files.newInputStream(report)) {
      XMLStreamReader suite = XMLInputFactory.newDefaultFactory().createXMLStreamReader(in);
      suite.nextTag();
      // Surefire writes 1,234.5 for times above a thousand seconds.
      double seconds = Double.parseDouble(suite.getAttributeValue(null, "time").replace(",", ""));
      String folder = project.relativize(report.getParent()).toString().replace('\\', '/');
      String module = folder.replace("/target/surefire-reports", "");
      String name = suite.getAttributeValue(null, "name");
      return new TestClass(seconds, "%s  (%s)".formatted(name, module));
    }
  }
}
