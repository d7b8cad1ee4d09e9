package dev.skipjack.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Locates the folders for data and binaries. For an ordinary user, both are in the user's cache
 * folder, which other users cannot access. If root runs the server as another user, the data is in
 * a temporary folder that only that user can access. The binaries are in a folder that root owns.
 * In any other folder, root could follow a link planted by that user while it unpacks the binaries.
 */
final class BaseFolder {

  static final String FOLDER_PROPERTY = "skipjack.embedded.folder";

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");
  private static final List<Path> TEMPORARY_FOLDERS = List.of(Path.of("/var/tmp"), Path.of("/tmp"));
  private static final int STICKY = 01000;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private BaseFolder() {}

  /**
   * Returns the folder for data, and creates it if necessary.
   *
   * @param wanted the folder to use or, if the server runs as another user, its parent folder; null
   *     for the default locations
   * @throws EmbeddedPostgresException if none of the candidates can be used
   */
  static Path open(
      Unprivileged who, @Nullable Path wanted, Function<String, @Nullable String> environment) {
    return who.isAnotherUser()
        ? ofAnotherUser(who, wanted == null ? TEMPORARY_FOLDERS : List.of(wanted))
        : ofThisUser(who, wanted == null ? cacheFolders(who, environment) : List.of(wanted));
  }

  /**
   * Returns the folder for unpacked binaries, and creates it if necessary. Only the user of this
   * JVM can write to it or replace it; the server's user can read it.
   *
   * @param base the folder that {@link #open} returned
   * @throws EmbeddedPostgresException if none of the candidates can be used
   */
  static Path ofBinaries(Unprivileged who, Path base) throws IOException {
    if (!who.isAnotherUser()) {
      // The binaries are inside a folder that other users cannot access.
      return Files.createDirectories(base.resolve("binaries"));
    }
    List<String> refusals = new ArrayList<>();
    List<Path> parents = new ArrayList<>(List.of(parent(base)));
    parents.addAll(TEMPORARY_FOLDERS);
    for (Path parent : parents) {
      Path folder = parent.resolve("skipjack-binaries");
      String refusal = canBeSwapped(parent);
      if (refusal == null) {
        if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
          makePrivate(folder);
        }
        refusal = whyNotOfRoot(folder);
      }
      if (refusal == null) {
        setMode(folder, "rwxr-xr-x");
        return folder;
      }
      refusals.add(folder + " " + refusal);
    }
    throw noFolder(refusals);
  }

  /**
   * Returns the reason why another user could replace the content of a folder, or null if no other
   * user can.
   */
  private static @Nullable String canBeSwapped(Path folder) throws IOException {
    for (Path each = folder; each != null; each = each.getParent()) {
      int mode = (Integer) Files.getAttribute(each, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if (owner(each) != 0 || !(isClosedToOthers(each) || (mode & STICKY) != 0)) {
        return "is in " + each + ", where other users than root may rename files";
      }
    }
    return null;
  }

  private static @Nullable String whyNotOfRoot(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return "is not a folder, or is a link";
    }
    return owner(folder) == 0 && isClosedToOthers(folder)
        ? null
        : "does not belong to root, or others may write to it";
  }

  /**
   * Sets the mode explicitly, because the umask of root may prevent the server from reading the
   * files. A link is rejected rather than followed. The mode is set through the stream of the
   * parent folder, because on newer JDKs (seen on JDK 25) a view of the path follows links even
   * though the option forbids it.
   */
  static void setMode(Path path, String mode) throws IOException {
    Path absolute = path.toAbsolutePath();
    Path parent = requireNonNull(absolute.getParent(), "the root folder has no mode to set");
    Set<PosixFilePermission> permissions = PosixFilePermissions.fromString(mode);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(parent)) {
      if (files instanceof SecureDirectoryStream<Path> secure) {
        secure
            .getFileAttributeView(
                absolute.getFileName(), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .setPermissions(permissions);
        return;
      }
    }
    // On systems without such streams, only a link that already exists can be rejected.
    if (Files.isSymbolicLink(absolute)) {
      throw new FileSystemException(absolute.toString(), null, "is a symbolic link");
    }
    Files.setPosixFilePermissions(absolute, permissions);
  }

  /** Returns the default locations for an ordinary user, best first. */
  static List<Path> cacheFolders(Unprivileged who, Function<String, @Nullable String> environment) {
    List<Path> folders = new ArrayList<>();
    String cache = environment.apply("XDG_CACHE_HOME");
    if (cache != null && cache.startsWith("/")) {
      folders.add(Path.of(cache, "skipjack"));
    }
    // Users without an entry in the password file have "?" here.
    String home = System.getProperty("user.home", "");
    if (home.startsWith("/")) {
      folders.add(Path.of(home, ".cache", "skipjack"));
    }
    folders.add(Path.of(System.getProperty("java.io.tmpdir"), "skipjack-" + who.user()));
    return folders;
  }

  private static Path ofThisUser(Unprivileged who, List<Path> candidates) {
    List<String> refusals = new ArrayList<>();
    for (Path candidate : candidates) {
      try {
        Path absolute = candidate.toAbsolutePath();
        if (Files.notExists(absolute, LinkOption.NOFOLLOW_LINKS)) {
          Files.createDirectories(parent(absolute));
          makePrivate(absolute);
        }
        Path folder = absolute.toRealPath();
        if (!Files.isDirectory(folder) || owner(folder) != who.uid()) {
          refusals.add(candidate + " is not a folder of " + who.user());
        } else if (!Files.isWritable(folder)) {
          refusals.add(candidate + " is not writable");
        } else {
          Files.setPosixFilePermissions(folder, PRIVATE);
          return folder;
        }
      } catch (IOException e) {
        refusals.add(candidate + ": " + e);
      }
    }
    throw noFolder(refusals);
  }

  private static void makePrivate(Path folder) throws IOException {
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
    } catch (FileAlreadyExistsException e) {
      // Another JVM created the folder first; it is checked like any other.
      return;
    }
  }

  private static Path ofAnotherUser(Unprivileged who, List<Path> parents) {
    List<String> refusals = new ArrayList<>();
    for (Path parent : parents) {
      try {
        makeReachable(parent.toAbsolutePath());
        Path folder = parent.toRealPath().resolve("skipjack-" + who.user());
        if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
          make(who, folder);
        }
        String refusal = whyNot(who, folder);
        if (refusal == null) {
          return folder;
        }
        refusals.add(folder + " " + refusal);
      } catch (IOException e) {
        refusals.add(parent + ": " + e);
      }
    }
    throw noFolder(refusals);
  }

  /**
   * Creates the folder and its missing parents. Sets their mode explicitly, because the umask of
   * root may prevent the server's user from traversing them.
   */
  static void makeReachable(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      makeReachable(parent(folder));
      Files.createDirectories(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static void make(Unprivileged who, Path folder) throws IOException {
    boolean made = who.script("mkdir -m 700 \"$1\"", "", LIMIT, folder).ok();
    // Root may create the folder only where no other user can interfere between its creation and
    // the change of its owner.
    if (!made
        && owner(parent(folder)) == 0
        && isClosedToOthers(parent(folder))
        && Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Path unnamed = Files.createTempDirectory(parent(folder), folder.getFileName() + "-");
      Files.setAttribute(unnamed, "unix:uid", (int) who.uid(), LinkOption.NOFOLLOW_LINKS);
      try {
        // The folder is renamed last, so that another JVM never finds it while root still owns it.
        Files.move(unnamed, folder);
      } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
        Files.delete(unnamed);
      }
    }
  }

  /**
   * Returns the reason why a folder in a world-writable location cannot be trusted, or null if it
   * can.
   */
  private static @Nullable String whyNot(Unprivileged who, Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return "is not a folder, or is a link";
    }
    if (owner(folder) != who.uid()) {
      return "does not belong to " + who.user();
    }
    if (!PRIVATE.equals(Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS))) {
      return "is open to others than " + who.user();
    }
    if (!who.script("cd \"$1\" && test -w .", "", LIMIT, folder).ok()) {
      return "cannot be reached by " + who.user();
    }
    return null;
  }

  private static boolean isClosedToOthers(Path folder) throws IOException {
    Set<PosixFilePermission> open =
        EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    open.retainAll(Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS));
    return open.isEmpty();
  }

  private static Path parent(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent == null) {
      throw new IOException(path + " cannot be created");
    }
    return parent;
  }

  private static long owner(Path path) throws IOException {
    // The 32-bit field is returned as a signed number.
    return Integer.toUnsignedLong(
        (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS));
  }

  private static EmbeddedPostgresException noFolder(List<String> refusals) {
    return new EmbeddedPostgresException(
        "No folder for the embedded PostgreSQL: %s. Name a usable one with -D%s=..., or give the JDBC URL of a running server."
            .formatted(refusals.stream().collect(Collectors.joining("; ")), FOLDER_PROPERTY));
  }
}
