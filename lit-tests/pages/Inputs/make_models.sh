# Makes the files that commands of the pages name, in the current folder: models, weights and arguments.
set -e
cat > float.relay <<'END'
#[version = "0.0.5"]
def @main(%data: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32], %gamma: Tensor[(4), float32], %beta: Tensor[(4), float32], %mean: Tensor[(4), float32], %var: Tensor[(4), float32]) {
  %0 = nn.conv2d(%data, %weight, kernel_size=[3, 3], channels=4);
  %1 = nn.batch_norm(%0, %gamma, %beta, %mean, %var);
  nn.relu(%1.0)
}
END
cp float.relay quantized.relay
relayopt float.relay --bind-params=random --write-params=weights.safetensors -o bound.relay
relayopt float.relay --bind-params=random --write-params=weights.npz -o bound.relay
relayopt float.relay --bind-params=random -o model.relay
relayopt model.relay -o model.onnx
relayopt model.relay --emit=tvm-json -o module.json
# The result of a run, under the name of an input.
cat > rename.py <<'END'
import sys, zipfile
source, target = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    new.writestr("data.npy", old.read("output_0.npy"))
END
for shape in "1, 3, 8, 8" "1, 1, 28, 28"; do
  printf '#[version = "0.0.5"]\ndef @main(%%x: Tensor[(%s), float32]) { tanh(%%x) }\n' "$shape" > image.relay
  relayopt image.relay --run -o "image-${shape##* }.npz"
done
python3 rename.py image-8.npz data.npz
python3 rename.py image-28.npz inputs.npz
cp data.npz images.npz
cp docs/examples/product.py program.py
printf 'step\nprint\nquit\n' > commands.txt
cat > reduce.test <<'END'
// onnx: opset 18
// onnx: input x float 2,3
// onnx: input axes int64 1
// onnx: array axes int64 1 = 1
// onnx: node ReduceSum x axes -> y
// onnx: output y
END
python3 lit-tests/onnx/Inputs/make.py reduce.test reduce.onnx axes.npz
