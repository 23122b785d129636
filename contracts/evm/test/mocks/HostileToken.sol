// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice A token that misbehaves on demand. It believes every signature, so that only its behaviour is tested.
contract HostileToken {
    enum Mode {
        Honest,
        FeeFromRecipient,
        FeeFromSender,
        NoReturnValue,
        LongReturnValue,
        ShortReturnValue,
        FalseReturnValue,
        OddReturnValue,
        PretendedTransfer,
        TransferRevertBomb,
        TransferGasBurn,
        FalseButMoved,
        PullRevertBomb,
        PullGasBurn,
        UsedNonceWithoutRevert,
        StateRevertBomb,
        RebaseOnTransfer,
        Reenter,
        PullTrue,
        PullFalse,
        PullShortAnswer,
        PullWithoutMove,
        PullAndStateGasBurn
    }

    Mode public mode;
    address public target;
    bytes public targetCall;
    bytes public targetAnswer;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(bytes32 => bool)) private _used;

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function reenter(address target_, bytes calldata targetCall_) external {
        (mode, target, targetCall) = (Mode.Reenter, target_, targetCall_);
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function rebase(address account, uint256 value) external {
        balanceOf[account] = value;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    function DOMAIN_SEPARATOR() external pure returns (bytes32) {
        return 0;
    }

    function authorizationState(address from, bytes32 nonce) external view returns (bool) {
        if (mode == Mode.StateRevertBomb) _bomb();
        if (mode == Mode.PullAndStateGasBurn) _burn();
        return _used[from][nonce];
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (mode == Mode.TransferRevertBomb) _bomb();
        if (mode == Mode.TransferGasBurn) _burn();
        if (mode == Mode.FalseReturnValue) return false;
        if (mode == Mode.PretendedTransfer) return true;
        _move(msg.sender, to, value);
        if (mode == Mode.FalseButMoved) return false;
        if (mode == Mode.RebaseOnTransfer) balanceOf[msg.sender] += 1;
        uint256 size = mode == Mode.NoReturnValue ? 0 : mode == Mode.LongReturnValue ? 4_096 : 32;
        uint256 word = mode == Mode.OddReturnValue ? 2 : 1;
        if (mode == Mode.ShortReturnValue) size = 31;
        assembly {
            mstore(0, word)
            return(0, size)
        }
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32 nonce,
        uint8,
        bytes32,
        bytes32
    ) external {
        if (mode == Mode.PullRevertBomb || mode == Mode.StateRevertBomb) _bomb();
        if (mode == Mode.PullGasBurn || mode == Mode.PullAndStateGasBurn) _burn();
        if (_used[from][nonce]) {
            if (mode == Mode.UsedNonceWithoutRevert) return;
            revert("used");
        }
        _used[from][nonce] = true;
        if (mode == Mode.Reenter) {
            (, targetAnswer) = target.call(targetCall);
        }
        if (mode != Mode.PullFalse && mode != Mode.PullWithoutMove) _move(from, to, value);
        if (mode == Mode.PullTrue || mode == Mode.PullFalse) _answer(mode == Mode.PullTrue ? 1 : 0, 32);
        // After an answer of `true`, one that is a byte too short, so that the caller's memory still ends with a one.
        if (mode == Mode.PullShortAnswer) _answer(1 - value % 2, 32 - value % 2);
    }

    function _answer(uint256 word, uint256 size) private pure {
        assembly {
            mstore(0, word)
            return(0, size)
        }
    }

    function _move(address from, address to, uint256 value) private {
        uint256 fee = mode == Mode.FeeFromRecipient || mode == Mode.FeeFromSender ? value / 100 : 0;
        balanceOf[from] -= mode == Mode.FeeFromSender ? value + fee : value;
        balanceOf[to] += mode == Mode.FeeFromRecipient ? value - fee : value;
    }

    function _bomb() private pure {
        assembly {
            revert(0, 100000)
        }
    }

    function _burn() private pure {
        while (true) {}
    }
}
