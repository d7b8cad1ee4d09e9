package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the BOM has all published modules and no others. */
class BomTest {

  private static final Path ROOT = Path.of("..");

  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  private static final Pattern ARTIFACT =
      Pattern.compile("</parent>\\s*<artifactId>([^<]+)</artifactId>");

  private static final Pattern MANAGED = Pattern.compile("<artifactId>([^<]+)</artifactId>");

  private static final Pattern PUBLISHED =
      Pattern.compile(
          "<groupId>dev\\.skipjack</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*</dep");

  private static final Pattern NOT_PUBLISHED = Pattern.compile("<maven\\.deploy\\.skip>true<");

  @Test
  void theBomHasAllPublishedModulesAndNoOthers() throws IOException {
    List<String> published = new ArrayList<>();
    for (String module : all(MODULE, ROOT.resolve("pom.xml"))) {
      Path pom = ROOT.resolve(module).resolve("pom.xml");
      String text = Files.readString(pom);
      Matcher artifact = ARTIFACT.matcher(text);
      if (!NOT_PUBLISHED.matcher(text).find() && artifact.find()) {
        published.add(artifact.group(1));
      }
    }
    String bom = Files.readString(ROOT.resolve("queue-bom/pom.xml"));
    String managed = bom.substring(bom.indexOf("<dependencyManagement>"), bom.indexOf("<build>"));

    assertThat(published).contains("skipjack-api", "skipjack-worker", "skipjack-outbox-kafka");
    assertThat(MANAGED.matcher(managed).results().map(found -> found.group(1)))
        .containsExactlyInAnyOrderElementsOf(published);
    String release = Files.readString(ROOT.resolve("release/pom.xml"));
    assertThat(PUBLISHED.matcher(release).results().map(found -> found.group(1)))
        .containsExactlyInAnyOrderElementsOf(published);
  }

  private static List<String> all(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }
}
