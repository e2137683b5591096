# Untried here; see packaging/README.md.
{
  description = "Plain English at the shell prompt becomes the right command, never executed";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      root = ../..;
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "askline";
          version = "0.1.0";
          src = root;
          cargoLock.lockFile = root + "/Cargo.lock";
          nativeBuildInputs = [ pkgs.cmake pkgs.installShellFiles pkgs.rustPlatform.bindgenHook ];
          # The tests need shells, manuals and programs of a whole machine.
          doCheck = false;
          postInstall = ''
            installManPage man/*.1
            installShellCompletion --bash completions/askline.bash --fish completions/askline.fish --zsh completions/_askline
          '';
        };
      });
    };
}
