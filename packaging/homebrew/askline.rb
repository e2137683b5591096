# Untried here; see packaging/README.md.
class Askline < Formula
  desc "Plain English at the shell prompt becomes the right command, never executed"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/archive/v0.1.0.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "cmake" => :build
  depends_on "llvm" => :build # libclang, for the bindings of the embedded model
  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    bash_completion.install "completions/askline.bash" => "askline"
    zsh_completion.install "completions/_askline"
    fish_completion.install "completions/askline.fish"
    man1.install Dir["man/*.1"]
  end

  def caveats
    "Run `askline setup` to add the key to your shells and to fetch a model."
  end

  test do
    assert_match "Dangerous", shell_output("#{bin}/askline check --shell bash -- 'rm -rf ~'")
  end
end
