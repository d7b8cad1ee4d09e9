package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BaseFolderTest {

  private Path folder = Path.of("");
  private final Unprivileged who = Unprivileged.choose(new SystemCommands(), null);

  @BeforeEach
  void makeFolder() throws IOException {
    folder = TestFolder.make();
  }

  @AfterEach
  void removeFolder() throws IOException {
    TestFolder.remove(folder);
  }

  @Test
  void xdgCacheFolderComesFirstAndTemporaryFolderLast() {
    assertThat(BaseFolder.cacheFolders(who, Map.of("XDG_CACHE_HOME", "/cache")::get))
        .startsWith(Path.of("/cache/skipjack"))
        .endsWith(Path.of(System.getProperty("java.io.tmpdir"), "skipjack-" + who.user()));
  }

  @Test
  void relativeCacheFolderIsIgnored() {
    assertThat(BaseFolder.cacheFolders(who, Map.of("XDG_CACHE_HOME", "cache")::get))
        .allMatch(Path::isAbsolute);
  }

  @Test
  void otherUsersCannotOpenTheFolder() throws IOException {
    Path base = BaseFolder.open(who, folder.resolve("new/base"), name -> null);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(base)))
        .isEqualTo("rwx------");
  }

  @Test
  void aFileInPlaceOfTheFolderIsReportedWithTheFix() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));

    assertThatThrownBy(() -> BaseFolder.open(who, file, name -> null))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("-Dskipjack.embedded.folder=");
  }

  @Nested
  class AsRoot {

    private Path expected = Path.of("");

    @BeforeEach
    void onlyAsRoot() {
      assumeTrue(who.isAnotherUser(), "only root needs another user");
      expected = folder.resolve("skipjack-" + who.user());
    }

    @Test
    void theServersUserCreatesAndOwnsTheFolder() throws IOException {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));

      assertThat(BaseFolder.open(who, folder, name -> null)).isEqualTo(expected);
      assertThat(Files.getAttribute(expected, "unix:uid")).isEqualTo((int) who.uid());
    }

    @Test
    void folderUnderARootOwnedParentIsGivenToTheServersUser() throws IOException {
      assertThat(BaseFolder.open(who, folder, name -> null)).isEqualTo(expected);
      assertThat(Files.getAttribute(expected, "unix:uid")).isEqualTo((int) who.uid());
    }

    @Test
    void binariesAreInAFolderThatRootOwnsAndAPlantedLinkIsNotFollowed() throws IOException {
      Path base = BaseFolder.open(who, folder, name -> null);
      Path binaries = BaseFolder.ofBinaries(who, base);
      assertThat(binaries).isEqualTo(folder.resolve("skipjack-binaries"));
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(binaries)))
          .isEqualTo("rwxr-xr-x");

      Files.delete(binaries);
      Path victim = Files.createDirectory(folder.resolve("victim"));
      Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rwx------"));
      Files.createSymbolicLink(binaries, victim);

      assertThat(BaseFolder.ofBinaries(who, base)).isNotEqualTo(binaries);
      assertThatThrownBy(() -> BaseFolder.setMode(binaries, "rwxr-xr-x"))
          .isInstanceOf(IOException.class);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(victim)))
          .isEqualTo("rwx------");
    }

    @Test
    void binariesAreNotWhereOthersMayRenameThem() throws IOException {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
      Path base = BaseFolder.open(who, folder, name -> null);

      assertThat(BaseFolder.ofBinaries(who, base))
          .isNotEqualTo(folder.resolve("skipjack-binaries"));
    }

    @Test
    void plantedLinkIsRefused() throws IOException {
      Files.createSymbolicLink(expected, Path.of("/etc"));

      assertThatThrownBy(() -> BaseFolder.open(who, folder, name -> null))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("link");
    }

    @Test
    void folderOfAnotherUserIsRefused() throws IOException {
      Files.createDirectory(
          expected,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));

      assertThatThrownBy(() -> BaseFolder.open(who, folder, name -> null))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("does not belong to");
    }

    @Test
    void folderOpenToOthersIsRefused() throws IOException {
      BaseFolder.open(who, folder, name -> null);
      Files.setPosixFilePermissions(expected, PosixFilePermissions.fromString("rwxrwxrwx"));

      assertThatThrownBy(() -> BaseFolder.open(who, folder, name -> null))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("open to others");
    }

    @Test
    void folderThatTheServersUserCannotReachIsRefused() throws IOException {
      BaseFolder.open(who, folder, name -> null);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));

      assertThatThrownBy(() -> BaseFolder.open(who, folder, name -> null))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("cannot be reached");
    }
  }
}
